package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.AfterPowerFailure;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Durability;
import dev.fbf.core.claim.Node;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.claim.WitnessedDatabase;
import dev.fbf.core.claim.WitnessedTransaction;
import dev.fbf.core.plan.FilterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A node with {@code durability=host} and no database: a COMMIT takes no time, and what is measured is fbf's own. */
final class DurableNode implements AutoCloseable {

    private static final String SCOPE = "bench";

    /** The first file of the filter, which is the only one unless it has grown. */
    static final String FILTER_FILE = SCOPE + "~1.fbf";

    private final Node node;
    private final ScopeClaims guard;
    private final WitnessedDatabase database;

    /** Opens a directory, and restores from its log what its filter lacks. */
    DurableNode(Path directory, int maxClaims, FilterPlan plan) {
        node = Node.open(directory, maxClaims, Durability.HOST, AfterPowerFailure.WARN);
        guard = node.scope(SCOPE, plan);
        database = node.database("main");
        database.begin(Map.of());
    }

    /**
     * Applies new operations in one transaction.
     *
     * @return how many: false positives, which come where there are more operations than planned, are left out
     */
    int apply(List<OperationId> operations) {
        List<Claim> claims = operations.stream().flatMap(this::claim).toList();
        if (!claims.isEmpty()) {
            WitnessedTransaction transaction = database.transaction(claims.get(0));
            claims.subList(1, claims.size()).forEach(transaction::add);
            transaction.beforeCommit();
            transaction.committed();
        }
        return claims.size();
    }

    private Stream<Claim> claim(OperationId operation) {
        Admission admission = guard.admit(operation);
        if (admission instanceof Claim claim) {
            return Stream.of(claim);
        }
        if (admission == Refusal.APPLIED) {
            return Stream.empty();
        }
        throw new IllegalStateException("a new operation was refused: " + admission);
    }

    /** How many of these operations it would apply again. */
    long lost(List<OperationId> applied) {
        return applied.stream()
                .filter(operation -> !guard.filter().mightContain(operation))
                .count();
    }

    @Override
    public void close() {
        node.close();
    }
}
