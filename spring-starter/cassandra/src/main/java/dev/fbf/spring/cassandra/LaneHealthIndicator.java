package dev.fbf.spring.cassandra;

import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health of the lanes: out of service until the operations of the retry window are read. */
final class LaneHealthIndicator implements HealthIndicator {

    private final LaneGuards guards;

    LaneHealthIndicator(LaneGuards guards) {
        this.guards = guards;
    }

    @Override
    public Health health() {
        Health.Builder health = guards.areReady() ? Health.up() : Health.outOfService();
        Map<String, String> failures = guards.failures();
        return failures.isEmpty()
                ? health.build()
                : health.withDetail("failures", failures).build();
    }
}
