package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.client.Operations;
import java.util.List;

/** The rows of the table in docs/research/situations.md that have operations for a kill to meet. */
public enum Situation {
    CALLERS_TRANSACTION("within the caller's transaction"),
    BEFORE_COMMIT("`@TransactionalEventListener(BEFORE_COMMIT)`"),
    AFTER_THE_END(
            "a listener for `AFTER_COMMIT`, `AFTER_ROLLBACK` or `AFTER_COMPLETION`, or any callback after the end of a transaction"),
    AFTER_THE_END_IN_NEW("such a listener with `REQUIRES_NEW`"),
    ASYNCHRONOUS("`@Async` on the method or its class, with a `key` expression"),
    SAME_KEY_TWICE("the same key twice in one transaction"),
    SAVEPOINT("the same key after a savepoint has undone it"),
    BATCH("a batch of 500 messages in one transaction, in four threads"),
    REDELIVERED("a message that is delivered again without the login"),
    STRICTER_BELOW("a stricter isolation or a shorter timeout below the guard"),
    READ_ONLY_BELOW("`readOnly = true` below the guard"),
    NEW_BELOW("`REQUIRES_NEW` below the guard"),
    RETRYABLE("`@Retryable` on the guarded method, or around the call"),
    RETRYABLE_BELOW("`@Retryable` below the guard"),
    OLD_SNAPSHOT("`REPEATABLE READ` that has read before the call, while others were busy"),
    CALLBACK("a row callback, a stream or a `ConnectionCallback` that calls a guarded method"),
    UNFINISHED("a result that is work still to be done"),
    TWO_DATABASES("two databases, each with a manager of its own, of JPA too"),
    TWO_MANAGERS("two managers or pools on one database"),
    WAIT("a call with `waitInProgress` in the caller's transaction"),
    REPOSITORY("an annotated method of a repository or mapper"),
    BROKEN_CONNECTION("a database that is out of reach, or a connection that breaks before COMMIT"),
    LATE_KEY("a key at the end of its window, in the caller's transaction"),
    AWARE_DATA_SOURCE("JPA over a `TransactionAwareDataSourceProxy`"),
    /** A long one within the window: a client that outlasts a restart outlasts a short window. */
    LONG_TRANSACTION("a transaction that takes longer than the retry window");

    private static final List<Situation> ALL = List.of(values());

    private final String title;

    Situation(String title) {
        this.title = title;
    }

    /** As the page has it. */
    public String title() {
        return title;
    }

    public String page() {
        return Operations.page(ALL.indexOf(this));
    }

    public static Situation of(String page) {
        return ALL.get(Integer.parseInt(page.substring(Operations.PAGE.length())));
    }
}
