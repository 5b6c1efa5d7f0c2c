package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.OperationStore;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Status of this node, its scopes and its databases, and the decisions that operators make. Thread-safe. */
public final class NodeStatus {

    private static final Logger log = LoggerFactory.getLogger(NodeStatus.class);

    private final Guards guards;
    private final GuardedDatabases databases;

    NodeStatus(Guards guards, GuardedDatabases databases) {
        this.guards = guards;
        this.databases = databases;
    }

    /** Scope that this process has opened. */
    public interface OpenScope {

        String name();

        Mode mode();

        /** Returns the time after an operation in which its retries may arrive. */
        Duration retryWindow();

        /** Returns the number of operations that are being applied or in doubt. */
        int claims();

        /** Returns the reasons why all operations are refused, as sentences for operators. */
        default List<String> obstacles() {
            return List.of();
        }

        /** Returns the error that needs attention; null if there is none. */
        default @Nullable Throwable failure() {
            return null;
        }

        /** Returns the commits that the database has lost, until an operator accepts the loss; null if there are none. */
        default @Nullable Object lostCommits() {
            return null;
        }

        /** Ends the refusals because of lost commits. */
        default void acceptLostCommits() {}
    }

    /** Listener for scopes, counters and databases, whether open already or opened later. */
    public interface Watcher {

        void openedScope(OpenScope scope);

        /** Called for a scope whose increments are applied in groups. */
        default void openedCounters(String scope, Counters counters) {}

        /**
         * Called for a database that decides on operations.
         *
         * @param name its transaction manager's name
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
    public record InDoubt(String transaction, String transactionManager, List<String> operations, Instant since) {}

    /**
     * An operation of an open scope.
     *
     * @param state {@link Refusal#APPLIED}, {@link Refusal#IN_PROGRESS} in this process, {@link Refusal#IN_DOUBT}, or null if it is unknown
     */
    public record Known(@Nullable Refusal state) {}

    /**
     * Returns what this process and its databases know of an operation.
     *
     * @return null if the scope is not open
     */
    public @Nullable Known find(String scope, Operation operation) {
        Known found = null;
        for (SqlOperationGuard guard : guards.of(scope)) {
            Refusal state = guard.known(operation);
            if (found == null || state != null) {
                found = new Known(state);
            }
        }
        return found;
    }

    /** Forgets an applied operation of an open scope; returns false if the scope is in filter mode. */
    public boolean forget(String scope, Operation operation) {
        boolean forgotten = guards.of(scope).stream().allMatch(guard -> guard.forget(operation));
        if (forgotten) {
            log.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "An operator has had the operation {} of scope {} forgotten: its next request applies it again.",
                            operation.id(),
                            scope);
        }
        return forgotten;
    }

    /** Registers a listener for the open scopes and databases, and for those opened later. */
    public void watch(Watcher watcher) {
        guards.watch(watcher);
    }

    /** Returns all open scopes, sorted by name. */
    public List<OpenScope> all() {
        return guards.scopes();
    }

    /** Returns the ID of the directory; null if no open scope is in filter mode. */
    public @Nullable UUID nodeId() {
        return databases.modes().stream()
                .map(GuardedMode::nodeId)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether recovery is complete, databases respond, files and tables seem usable, and no scope is held back or blocked. */
    public boolean areReady() {
        return !haveFailed()
                && databases.all().stream().allMatch(GuardedDatabase::isReady)
                && all().stream().allMatch(scope -> scope.obstacles().isEmpty());
    }

    /** Returns whether operations are refused until the next start because a file failed: {@link #failures()} has the reason. */
    public boolean haveFailed() {
        return databases.modes().stream().anyMatch(GuardedMode::hasFailed);
    }

    /** Returns the reasons why operations are refused, except a failed file and the limit of claims, as texts for operators. */
    public List<String> obstacles() {
        List<String> obstacles = new ArrayList<>(unrecordable());
        databases.all().forEach(database -> obstacles.addAll(database.refusals()));
        all().forEach(scope -> obstacles.addAll(scope.obstacles()));
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
        return byScope(scope -> scope.failure() == null ? null : String.valueOf(scope.failure()));
    }

    private <T> Map<String, T> byScope(Function<OpenScope, @Nullable T> property) {
        Map<String, T> values = new TreeMap<>();
        all().forEach(scope -> {
            T value = property.apply(scope);
            if (value != null) {
                values.put(scope.name(), value);
            }
        });
        return values;
    }

    /** Returns the transactions in doubt, the oldest first; none in ledger mode, where retries find the outcome. */
    public List<InDoubt> inDoubt() {
        return databases.all().stream()
                .flatMap(database -> database.inDoubt().stream())
                .sorted(Comparator.comparing(InDoubt::since))
                .toList();
    }

    /** Returns the reason why new operations are refused, if {@code fbf.max-claims} is reached; otherwise null. */
    public @Nullable String noRoomBecause() {
        if (databases.modes().stream().noneMatch(mode -> mode.held() >= guards.maxClaims)) {
            return null;
        }
        databases.all().forEach(database -> database.transactions.endAbandoned());
        return "fbf.max-claims=" + guards.maxClaims
                + " is reached: new operations get 503. Look for transactions that do"
                + " not end, or raise fbf.max-claims.";
    }

    /** Returns the commits that databases have lost, by scope, until an operator accepts the loss. */
    public Map<String, Object> lostCommits() {
        return byScope(OpenScope::lostCommits);
    }

    /** Ends the refusals because of lost commits: duplicates get their usual response again. Returns whether commits were lost. */
    public boolean acceptLostCommits() {
        Map<String, Object> lost = lostCommits();
        all().forEach(OpenScope::acceptLostCommits);
        if (!lost.isEmpty()) {
            log.warn("An operator has accepted that the database has forgotten commits, by scope: {}", lost);
        }
        return !lost.isEmpty();
    }

    /** Decides on a transaction in doubt; returns whether this call decided it. */
    public boolean decide(String name, boolean applied) {
        return databases.all().stream().anyMatch(database -> database.decide(name, applied));
    }
}
