package dev.fbf.loadtest.torture.agent;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A moment in the life of an operation at which the application can be killed: on entry to, or exit from, a method. */
public enum Step {
    AFTER_CLAIM("dev.fbf.core.guard.Guard", "admit", false),
    AFTER_RECORD("dev.fbf.core.guard.WitnessedTransaction", "add", false),
    AFTER_WITNESS("dev.fbf.db.Prelude", "executed", false),
    AFTER_LEDGER("dev.fbf.db.Prelude", "executed", false),
    AFTER_SQL("dev.fbf.spring.Enlistment", "returned", true),
    AFTER_COMMIT("dev.fbf.spring.GuardedTransaction", "afterCommit", true),
    BEFORE_PUT("dev.fbf.core.filter.AdaptiveFilter", "put", true),
    AFTER_PUT("dev.fbf.core.filter.AdaptiveFilter", "put", false),
    BEFORE_FREE("dev.fbf.core.guard.Claims", "release", true),
    AFTER_FREE("dev.fbf.core.guard.Claims", "release", false);

    private static final Set<Step> OF_FILTER_MODE = EnumSet.of(AFTER_RECORD, AFTER_WITNESS);
    private static final Set<Step> OF_LEDGER_MODE = EnumSet.of(AFTER_LEDGER);

    private final String type;
    private final String method;
    private final boolean onEntry;

    Step(String type, String method, boolean onEntry) {
        this.type = type;
        this.method = method;
        this.onEntry = onEntry;
    }

    /**
     * The steps that an operation takes.
     *
     * @param mode {@code filter} or {@code ledger}
     * @return the steps, in their order
     */
    public static List<Step> in(String mode) {
        Set<Step> ofTheOther = mode.equals("ledger") ? OF_FILTER_MODE : OF_LEDGER_MODE;
        return Stream.of(values()).filter(step -> !ofTheOther.contains(step)).toList();
    }

    String type() {
        return type;
    }

    String method() {
        return method;
    }

    boolean onEntry() {
        return onEntry;
    }
}
