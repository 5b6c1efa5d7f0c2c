package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A fake database: the witness's rows and the applied operations, which change together at COMMIT or not at all. */
final class FakeDatabase {

    /** A COMMIT on its way, which cannot be called back. */
    record Commit(int slot, long previous, long next, List<OperationId> operations) {

        static Commit of(WitnessedTransaction transaction) {
            return new Commit(transaction.slot(), transaction.previous(), transaction.next(), transaction.operations());
        }
    }

    private final Map<Integer, Long> tokens = new HashMap<>();
    private final Map<OperationId, Integer> applied = new HashMap<>();

    Map<Integer, Long> tokens() {
        return Map.copyOf(tokens);
    }

    long token(int slot) {
        return tokens.getOrDefault(slot, WitnessedDatabase.NO_TOKEN);
    }

    /** Commits, if the row has the token that the transaction must update. */
    boolean commit(Commit commit) {
        if (!compareAndSet(commit.slot, commit.previous, commit.next)) {
            return false;
        }
        commit.operations.forEach(operation -> applied.merge(operation, 1, Integer::sum));
        return true;
    }

    boolean commit(WitnessedTransaction transaction) {
        return commit(Commit.of(transaction));
    }

    /** Asks about a transaction in doubt, and makes sure that it never commits if it has not. */
    boolean settle(WitnessedTransaction transaction) {
        long fence = ~transaction.next();
        compareAndSet(transaction.slot(), transaction.previous(), fence);
        long token = token(transaction.slot());
        if (token == transaction.next()) {
            return transaction.settled(true, token);
        }
        return token == fence ? transaction.settled(false, token) : transaction.unresolved(token);
    }

    int timesApplied(OperationId operation) {
        return applied.getOrDefault(operation, 0);
    }

    /** Only an operator does this, by mistake. */
    void setToken(int slot, long token) {
        tokens.put(slot, token);
    }

    private boolean compareAndSet(int slot, long expected, long token) {
        if (token(slot) != expected) {
            return false;
        }
        tokens.put(slot, token);
        return true;
    }
}
