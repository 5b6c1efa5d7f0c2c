package dev.fbf.spring;

import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Out of service until what the last process left in doubt is settled and nothing is held back, and while another node is
 * in the way; tells how many transactions are in doubt.
 */
final class FbfHealthIndicator implements HealthIndicator {

    private final Guards guards;

    FbfHealthIndicator(Guards guards) {
        this.guards = guards;
    }

    @Override
    public Health health() {
        Health.Builder health = guards.areReady() ? Health.up() : Health.outOfService();
        List<String> obstacles = guards.obstacles();
        if (!obstacles.isEmpty()) {
            health.withDetail("otherNodes", obstacles);
        }
        return health.withDetail("transactionsInDoubt", guards.inDoubt().size()).build();
    }
}
