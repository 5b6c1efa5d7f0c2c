package dev.fbf.sample.race;

import dev.fbf.sample.demo.Demo;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Starts a {@link Race} and returns its standings. */
@RestController
@RequestMapping("/race")
class RaceController {

    private final Race race;

    RaceController(Race race) {
        this.race = race;
    }

    /** Returns the standings; the status is 409 if a race was running already. */
    @PostMapping
    ResponseEntity<Race.Status> start() {
        HttpStatus status = race.start() ? HttpStatus.ACCEPTED : HttpStatus.CONFLICT;
        return ResponseEntity.status(status).body(race.status());
    }

    @GetMapping
    Race.Status status() {
        return race.status();
    }

    @Bean
    static Demo raceDemo() {
        return new Demo("race");
    }
}
