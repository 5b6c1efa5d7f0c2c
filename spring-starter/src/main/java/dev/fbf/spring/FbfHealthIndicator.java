package dev.fbf.spring;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Out of service until what the last process left in doubt is settled and nothing is held back; tells how many
 * transactions are in doubt.
 */
final class FbfHealthIndicator implements HealthIndicator {

    private final Guards guards;

    FbfHealthIndicator(Guards guards) {
        this.guards = guards;
    }

    @Override
    public Health health() {
        return (guards.areReady() ? Health.up() : Health.outOfService())
                .withDetail("transactionsInDoubt", guards.inDoubt().size())
                .build();
    }
}
