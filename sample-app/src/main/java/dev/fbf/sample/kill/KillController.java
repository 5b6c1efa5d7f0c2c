package dev.fbf.sample.kill;

import dev.fbf.sample.postgres.ConditionalOnLocalPostgres;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Kills the connections and returns the outcomes. Present only with the embedded PostgreSQL. */
@RestController
@RequestMapping("/kill")
@ConditionalOnLocalPostgres
class KillController {

    private final KillMe killMe;

    KillController(KillMe killMe) {
        this.killMe = killMe;
    }

    /** Returns the stage and the outcomes; the status is 409 if a kill was running already. */
    @PostMapping
    ResponseEntity<KillMe.Status> start() {
        HttpStatus status = killMe.start() ? HttpStatus.ACCEPTED : HttpStatus.CONFLICT;
        return ResponseEntity.status(status).body(killMe.status());
    }

    @GetMapping
    KillMe.Status status() {
        return killMe.status();
    }
}
