package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.WitnessedTransaction;
import java.time.Instant;
import java.util.List;

/**
 * A transaction in doubt.
 *
 * @param transaction what it is known by
 * @param transactionManager whose transaction it is
 * @param operations the ids of its operations
 * @param since when it began
 */
public record InDoubt(String transaction, String transactionManager, List<String> operations, Instant since) {

    static InDoubt of(String transactionManager, WitnessedTransaction transaction) {
        return new InDoubt(
                name(transaction),
                transactionManager,
                transaction.operations().stream().map(OperationId::toString).toList(),
                transaction.since());
    }

    /** Its token: no two transactions have the same. */
    static String name(WitnessedTransaction transaction) {
        return Long.toHexString(transaction.next());
    }
}
