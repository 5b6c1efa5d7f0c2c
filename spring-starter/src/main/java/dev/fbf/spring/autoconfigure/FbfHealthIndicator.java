package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.transaction.NodeStatus;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of this node. Its details have the reasons and, in filter mode, the number of transactions in doubt.
 *
 * <ul>
 *   <li>Down while the database does not respond or does not record operations; after an fbf file has failed, until the next start.
 *   <li>Out of service during recovery, while a scope is held back, and while a lease is not confirmed or another node holds it.
 *   <li>Degraded while a filter cannot be refreshed or cannot grow, while all claims are taken, and until an operator has accepted that the
 *       database has lost commits. Requests may still arrive.
 * </ul>
 */
record FbfHealthIndicator(NodeStatus node) implements HealthIndicator {

    /** Status that Spring Boot maps to 200, and ignores when it aggregates statuses. */
    static final Status DEGRADED =
            new Status("DEGRADED", "Operations are applied once, but something needs attention.");

    @Override
    public Health health() {
        Map<String, String> failures = node.failures();
        Map<String, Object> lost = node.lostCommits();
        String noRoom = node.noRoomBecause();
        boolean isUp = failures.isEmpty() && lost.isEmpty() && noRoom == null;
        Health.Builder health = node.haveFailed() || !node.unrecordable().isEmpty()
                ? Health.down()
                : !node.areReady() ? Health.outOfService() : isUp ? Health.up() : Health.status(DEGRADED);
        if (!lost.isEmpty()) {
            health.withDetail("lostCommits", lost);
        }
        if (!failures.isEmpty()) {
            health.withDetail("failures", failures);
        }
        if (noRoom != null) {
            health.withDetail("noRoom", noRoom);
        }
        List<String> obstacles = node.obstacles();
        if (!obstacles.isEmpty()) {
            health.withDetail("obstacles", obstacles);
        }
        if (node.nodeId() != null) {
            health.withDetail("transactionsInDoubt", node.inDoubt().size());
        }
        return health.build();
    }
}
