package dev.fbf.spring.autoconfigure;

import dev.fbf.core.claim.LostCommits;
import dev.fbf.spring.jdbc.NodeStatus;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Down while operations cannot be recorded in the database, or it does not respond, and once a file of fbf has failed, until the next start. Out of service until
 * what the last process left in doubt is settled and nothing is held back, and while another node is in the way. Its details have the
 * reasons, and the number of transactions in doubt.
 *
 * <p>Degraded while a filter cannot be refreshed or cannot grow, while all claims are taken, or until an operator has accepted that
 * the database has forgotten commits. New operations are applied once all the same, so that requests may go on coming.
 */
final class FbfHealthIndicator implements HealthIndicator {

    /** Boot maps no HTTP status to it but 200, and passes over it where it puts several together. */
    static final Status DEGRADED =
            new Status("DEGRADED", "Operations are applied once, but something needs attention.");

    private final NodeStatus node;

    FbfHealthIndicator(NodeStatus node) {
        this.node = node;
    }

    @Override
    public Health health() {
        Map<String, String> failures = node.failures();
        Map<String, LostCommits> lost = node.lostCommits();
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
        return health.withDetail("transactionsInDoubt", node.inDoubt().size()).build();
    }
}
