package dev.fbf.loadtest.torture.agent;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A moment in the life of an operation at which the application can be killed: on entry to, or exit from, a method. At a
 * moment of a group it is killed only if that has several operations.
 */
public enum Step {
    AFTER_CLAIM("dev.fbf.core.witness.ScopeClaims", "admit", false),
    AFTER_TAKE("dev.fbf.core.claim.Claims", "take", false),
    AFTER_RECORD("dev.fbf.core.witness.WitnessedTransaction", "add", false),
    AFTER_WITNESS("dev.fbf.db.witness.WitnessTable", "turn", false),
    AFTER_LEDGER("dev.fbf.db.dialect.PostgresLedger dev.fbf.db.dialect.StandardLedger", "insert", false),
    AFTER_SQL("dev.fbf.spring.operation.Execution", "returned", true),
    AFTER_COMMIT("dev.fbf.db.OperationTransaction", "committed", true),
    BEFORE_PUT(Step.MEMORIES, "put", true),
    AFTER_PUT(Step.MEMORIES, "put", false),
    BEFORE_FREE("dev.fbf.core.witness.RecordedClaims", "release", true),
    AFTER_FREE("dev.fbf.core.witness.RecordedClaims", "release", false),
    BEFORE_LEAVE("dev.fbf.core.claim.Claims$HeldClaim", "leave", true),
    AFTER_LEAVE("dev.fbf.core.claim.Claims$HeldClaim", "leave", false),
    /** The operation has its claim, and is part of no group yet. */
    BEFORE_GROUP("dev.fbf.db.group.GroupCommit", "apply", true),
    GROUP_BEFORE_STATEMENT("dev.fbf.db.dialect.CounterTable", "addTogether", true),
    /** And no response read. */
    GROUP_STATEMENT_SENT("org.postgresql.core.v3.QueryExecutorImpl", "processResults", true),
    /** COMMIT is known, and the filter has none of the operations. */
    GROUP_COMMITTED("dev.fbf.db.dialect.CounterTable", "addTogether", false),
    /** The filter has the first of the operations. */
    GROUP_PARTLY_PUT(Step.MEMORIES, "put", false),
    /** The filter has all of the operations, and no caller knows. */
    GROUP_BEFORE_ANSWERS("dev.fbf.db.group.GroupedIncrement", "done", true);

    /** What remembers operations, in each mode. */
    private static final String MEMORIES =
            "dev.fbf.core.filter.ForgetfulBloomFilter dev.fbf.core.claim.RecentOperations";

    private static final Set<Step> OF_FILTER_MODE =
            EnumSet.of(AFTER_CLAIM, AFTER_RECORD, AFTER_WITNESS, BEFORE_FREE, AFTER_FREE);
    private static final Set<Step> OF_LEDGER_MODE = EnumSet.of(AFTER_TAKE, AFTER_LEDGER, BEFORE_LEAVE, AFTER_LEAVE);

    private final String types;
    private final String method;
    private final boolean onEntry;

    /** @param types with blanks between them */
    Step(String types, String method, boolean onEntry) {
        this.types = types;
        this.method = method;
        this.onEntry = onEntry;
    }

    /**
     * The steps that an operation takes.
     *
     * @param mode {@code filter} or {@code ledger}
     * @param inGroups whether there are groups
     * @return the steps, in their order
     */
    public static List<Step> in(String mode, boolean inGroups) {
        Set<Step> ofTheOther = mode.equals("ledger") ? OF_FILTER_MODE : OF_LEDGER_MODE;
        return Stream.of(values())
                .filter(step -> !ofTheOther.contains(step))
                .filter(step -> inGroups || !step.name().contains("GROUP"))
                .toList();
    }

    String[] types() {
        return types.split(" ", -1);
    }

    String method() {
        return method;
    }

    boolean onEntry() {
        return onEntry;
    }

    /** Whether only a thread that applies a group of several operations comes to this step. */
    boolean isOfGroup() {
        return name().startsWith("GROUP_");
    }
}
