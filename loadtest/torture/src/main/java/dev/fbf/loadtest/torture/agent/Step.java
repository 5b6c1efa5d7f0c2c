package dev.fbf.loadtest.torture.agent;

/** A moment in the life of an operation at which the application can be killed: on entry to, or exit from, a method. */
public enum Step {
    AFTER_CLAIM("dev.fbf.core.guard.Guard", "admit", false),
    AFTER_RECORD("dev.fbf.core.guard.WitnessedTransaction", "add", false),
    AFTER_WITNESS("dev.fbf.db.WitnessTable", "turn", false),
    AFTER_LEDGER("dev.fbf.db.LedgerTable", "insert", false),
    AFTER_SQL("dev.fbf.spring.Enlistment", "returned", true),
    AFTER_COMMIT("dev.fbf.spring.GuardedTransaction", "afterCommit", true),
    BEFORE_PUT("dev.fbf.core.filter.AdaptiveFilter", "put", true),
    AFTER_PUT("dev.fbf.core.filter.AdaptiveFilter", "put", false),
    BEFORE_FREE("dev.fbf.core.guard.Claims", "release", true),
    AFTER_FREE("dev.fbf.core.guard.Claims", "release", false);

    private final String type;
    private final String method;
    private final boolean onEntry;

    Step(String type, String method, boolean onEntry) {
        this.type = type;
        this.method = method;
        this.onEntry = onEntry;
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
