package dev.fbf.spring.jdbc;

import dev.fbf.core.DurationText;
import dev.fbf.core.OperationId;
import dev.fbf.core.witness.LostCommits;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.Counters;
import dev.fbf.db.OperationStore;
import dev.fbf.spring.operation.Scopes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Status of this node, its scopes and its databases, and the decisions that operators make. Thread-safe. */
public final class NodeStatus {

    private static final Logger log = LoggerFactory.getLogger(Guards.class);

    private final Scopes scopes;
    private final OpenScopes open;
    private final GuardedDatabases databases;
    private final int maxClaims;

    NodeStatus(Scopes scopes, OpenScopes open, GuardedDatabases databases, int maxClaims) {
        this.scopes = scopes;
        this.open = open;
        this.databases = databases;
        this.maxClaims = maxClaims;
    }

    /** Listener for scopes, counters and databases, whether open already or opened later. */
    public interface Watcher {

        void openedScope(OpenScope scope);

        /** Called for a scope whose increments are applied in groups. */
        default void openedCounters(String scope, Counters counters) {}

        /**
         * Called for a database that decides on operations.
         *
         * @param name unique among the databases of this process
         */
        void openedDatabase(String name, OperationStore store);
    }

    /**
     * Transaction in doubt.
     *
     * @param transaction its name
     * @param transactionManager the name of its transaction manager
     * @param operations the ids of its operations
     * @param since the time at which its first operation was recorded
     */
    public record InDoubt(String transaction, String transactionManager, List<String> operations, Instant since) {

        static InDoubt of(String transactionManager, WitnessedTransaction transaction) {
            return new InDoubt(
                    name(transaction),
                    transactionManager,
                    transaction.operations().stream().map(OperationId::toString).toList(),
                    transaction.since());
        }

        /** Returns the transaction's unique token as its name. */
        private static String name(WitnessedTransaction transaction) {
            return Long.toHexString(transaction.next());
        }
    }

    /**
     * Open transaction that applies operations if it commits.
     *
     * @param transactionManager the name of its transaction manager
     * @param thread the name of its thread
     * @param operations the number of operations
     * @param since the time at which it began
     */
    public record OpenTransaction(String transactionManager, String thread, int operations, Instant since) {}

    /** Registers a listener for the open scopes and databases, and for those opened later. */
    public void watch(Watcher watcher) {
        open.watch(watcher);
        databases.watch(database -> watcher.openedDatabase(database.dataSourceName, database.store()));
    }

    /** Returns all open scopes, sorted by name. */
    public List<OpenScope> all() {
        return open.all();
    }

    /** Returns the number of calls of a scope that ran unguarded because they had no key. */
    public long keylessCalls(String scope) {
        return scopes.of(scope).keylessCalls();
    }

    /** Returns the ID of the directory; null if no open scope is in filter mode. */
    public @Nullable UUID nodeId() {
        return open.nodeId();
    }

    /** Returns whether recovery is complete, databases respond, files and tables seem usable, and no scope is held back or blocked. */
    public boolean areReady() {
        Node node = open.openNode();
        return (node == null || !node.isStopped())
                && databases.all().stream().allMatch(GuardedDatabase::isReady)
                && open.inFilterMode().stream()
                        .noneMatch(claims ->
                                claims.isRecovering() || !claims.heldBackFor().isZero());
    }

    /** Returns whether operations are refused until the next start because a file failed: {@link #failures()} has the reason. */
    public boolean haveFailed() {
        Node node = open.openNode();
        return node != null && node.failure() != null;
    }

    /** Returns the reasons why operations are refused, except a failed file and the limit of claims, as texts for operators. */
    public List<String> obstacles() {
        List<String> obstacles = new ArrayList<>(unrecordable());
        databases.all().forEach(database -> obstacles.addAll(database.refusals()));
        for (ScopeClaims claims : open.inFilterMode()) {
            if (claims.isRecovering()) {
                obstacles.add("Scope " + claims.scope()
                        + ": operations are refused until the database has been asked about all transactions"
                        + " that the previous process left in doubt.");
            }
            Duration rest = claims.heldBackFor();
            if (!rest.isZero()) {
                obstacles.add("Scope " + claims.scope() + ": operations are refused for " + DurationText.of(rest)
                        + ". The filter may lack operations after a power failure, or because files are missing or"
                        + " old; retries of missing operations can arrive until then.");
            }
        }
        return obstacles;
    }

    /** Returns the reasons why operations cannot be recorded: a sentence per database that does not respond or refuses them. */
    public List<String> unrecordable() {
        return databases.all().stream()
                .map(GuardedDatabase::obstacle)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns, by scope, the reason why its filter cannot be refreshed or grow, or else the error of its node. */
    public Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        open.inFilterMode().forEach(claims -> {
            Throwable failure = open.node().failure(claims.scope());
            if (failure != null) {
                failures.put(claims.scope(), failure.toString());
            }
        });
        return failures;
    }

    /** Returns the transactions in doubt, the oldest first; none in ledger mode, where retries find the outcome. */
    public List<InDoubt> inDoubt() {
        return databases
                .inFilterMode()
                .flatMap(database ->
                        database.witness.inDoubt().stream().map(transaction -> InDoubt.of(database.name, transaction)))
                .sorted(Comparator.comparing(InDoubt::since))
                .toList();
    }

    /** Returns the open transactions that apply operations if they commit, the oldest first. */
    public List<OpenTransaction> openTransactions() {
        return databases.all().stream()
                .flatMap(database -> database.openTransactions().stream())
                .sorted(Comparator.comparing(OpenTransaction::since))
                .toList();
    }

    /** Describes the holders of the claims if {@code fbf.max-claims} is reached; otherwise null. */
    public @Nullable String noRoomBecause() {
        if (!open.areFull()) {
            return null;
        }
        databases.all().forEach(database -> database.transactions.endAbandoned());
        List<OpenTransaction> open = openTransactions();
        return "fbf.max-claims=" + maxClaims + " is reached: new operations get 503. "
                + open.size() + " open transactions and " + inDoubt().size() + " in doubt hold claims."
                + (open.isEmpty()
                        ? ""
                        : " The oldest is that of the thread " + open.get(0).thread() + ", since "
                                + open.get(0).since() + ".")
                + " Look for transactions that do not end, or raise fbf.max-claims.";
    }

    /** Returns the commits that databases have lost, by scope, until an operator accepts the loss. */
    public Map<String, LostCommits> lostCommits() {
        Map<String, LostCommits> lost = new TreeMap<>();
        open.inFilterMode().forEach(claims -> {
            LostCommits its = claims.lostCommits();
            if (its != null) {
                lost.put(claims.scope(), its);
            }
        });
        return lost;
    }

    /** Ends the refusals because of lost commits: duplicates get their usual response again. Returns whether commits were lost. */
    public boolean acceptLostCommits() {
        Map<String, LostCommits> lost = lostCommits();
        open.inFilterMode().forEach(ScopeClaims::acceptLostCommits);
        if (!lost.isEmpty()) {
            log.warn("An operator has accepted that the database has forgotten commits, by scope: {}", lost);
        }
        return !lost.isEmpty();
    }

    /** Decides on a transaction in doubt; returns whether this call decided it. */
    public boolean decide(String name, boolean applied) {
        return databases
                .inFilterMode()
                .flatMap(database -> database.witness.inDoubt().stream())
                .filter(transaction -> InDoubt.name(transaction).equals(name))
                .anyMatch(transaction -> decide(transaction, applied));
    }

    private static boolean decide(WitnessedTransaction transaction, boolean applied) {
        List<OperationId> operations = transaction.operations();
        boolean decided = transaction.decide(applied);
        if (decided) {
            log.warn(
                    "An operator has decided that the operations {} {} applied.",
                    operations,
                    applied ? "were" : "were not");
        }
        return decided;
    }
}
