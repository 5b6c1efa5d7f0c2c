package dev.fbf.sample.fault;

import java.time.Duration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The switch of {@link LostAnswers}. */
@RestController
@RequestMapping("/faults")
class FaultController {

    private final LostAnswers lostAnswers;

    FaultController(LostAnswers lostAnswers) {
        this.lostAnswers = lostAnswers;
    }

    @PutMapping
    LostAnswers.Status switchOn(@RequestBody Faults faults) {
        lostAnswers.switchOn(faults.lostAnswers, Duration.ofSeconds(faults.seconds));
        return lostAnswers.status();
    }

    @GetMapping
    LostAnswers.Status status() {
        return lostAnswers.status();
    }

    @DeleteMapping
    LostAnswers.Status switchOff() {
        lostAnswers.switchOff();
        return lostAnswers.status();
    }

    @ExceptionHandler(HttpMessageNotReadableException.class)
    ProblemDetail badFaults() {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, Faults.RULE);
    }

    record Faults(double lostAnswers, int seconds) {

        static final String RULE =
                "send {\"lostAnswers\": a share from 0.0 to 1.0, \"seconds\": a whole number from 1 to 3600}";

        Faults {
            if (!(lostAnswers >= 0 && lostAnswers <= 1) || seconds < 1 || seconds > 3600) {
                throw new IllegalArgumentException(RULE);
            }
        }
    }
}
