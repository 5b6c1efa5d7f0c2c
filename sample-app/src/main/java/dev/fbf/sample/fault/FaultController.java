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

/** The switch of {@link LostResponses}. */
@RestController
@RequestMapping("/faults")
class FaultController {

    private final LostResponses lostResponses;

    FaultController(LostResponses lostResponses) {
        this.lostResponses = lostResponses;
    }

    @PutMapping
    LostResponses.Status switchOn(@RequestBody Faults faults) {
        lostResponses.switchOn(faults.lostResponses, Duration.ofSeconds(faults.seconds));
        return lostResponses.status();
    }

    @GetMapping
    LostResponses.Status status() {
        return lostResponses.status();
    }

    @DeleteMapping
    LostResponses.Status switchOff() {
        lostResponses.switchOff();
        return lostResponses.status();
    }

    @ExceptionHandler(HttpMessageNotReadableException.class)
    ProblemDetail badFaults() {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, Faults.RULE);
    }

    record Faults(double lostResponses, int seconds) {

        static final String RULE =
                "send {\"lostResponses\": a share from 0.0 to 1.0, \"seconds\": a whole number from 1 to 3600}";

        Faults {
            if (!(lostResponses >= 0 && lostResponses <= 1) || seconds < 1 || seconds > 3600) {
                throw new IllegalArgumentException(RULE);
            }
        }
    }
}
