package dev.fbf.spring.actuator;

import dev.fbf.spring.guard.Guards;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Out of service until what the last process left in doubt is settled and nothing is held back, and while another node is
 * in the way; tells how many transactions are in doubt. Degraded while a filter cannot be refreshed:
 * its operations are applied once all the same, so that requests may go on coming.
 */
final class FbfHealthIndicator implements HealthIndicator {

    /** Boot maps no HTTP status to it but 200, and passes over it where it puts several together. */
    static final Status DEGRADED =
            new Status("DEGRADED", "Operations are applied once, but a filter cannot be refreshed.");

    private final Guards guards;

    FbfHealthIndicator(Guards guards) {
        this.guards = guards;
    }

    @Override
    public Health health() {
        Map<String, String> failures = guards.failures();
        Health.Builder health =
                !guards.areReady() ? Health.outOfService() : failures.isEmpty() ? Health.up() : Health.status(DEGRADED);
        if (!failures.isEmpty()) {
            health.withDetail("failures", failures);
        }
        List<String> obstacles = guards.obstacles();
        if (!obstacles.isEmpty()) {
            health.withDetail("otherNodes", obstacles);
        }
        return health.withDetail("transactionsInDoubt", guards.inDoubt().size()).build();
    }
}
