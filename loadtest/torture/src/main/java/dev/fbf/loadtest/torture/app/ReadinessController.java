package dev.fbf.loadtest.torture.app;

import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells what the actuator's readiness group tells: whether the application, the guard included, accepts requests. */
@RestController
class ReadinessController {

    private final ApplicationAvailability availability;

    ReadinessController(ApplicationAvailability availability) {
        this.availability = availability;
    }

    @GetMapping("/readiness")
    ResponseEntity<ReadinessState> readiness() {
        ReadinessState state = availability.getReadinessState();
        return ResponseEntity.status(
                        state == ReadinessState.ACCEPTING_TRAFFIC ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .body(state);
    }
}
