package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.client.Operations;
import java.util.List;

/** The rows of the table in docs/research/situations.md whose operation belongs to another transaction than that of its call alone. */
public enum Situation {
    CALLERS_TRANSACTION("within the caller's transaction"),
    BEFORE_COMMIT("`@TransactionalEventListener(BEFORE_COMMIT)`"),
    AFTER_THE_END(
            "a listener for `AFTER_COMMIT`, `AFTER_ROLLBACK` or `AFTER_COMPLETION`, or any callback after the end of a transaction"),
    AFTER_THE_END_IN_NEW("such a listener with `REQUIRES_NEW`, which calls a guarded method"),
    ASYNCHRONOUS("`@Async` on the method or its class, with a `key` expression"),
    SAME_KEY_TWICE("the same key twice in one transaction"),
    SAVEPOINT("the same key after a savepoint has undone it"),
    BATCH("a batch of 500 messages in one transaction, in four threads"),
    NEW_BELOW("`REQUIRES_NEW` below the guard"),
    TWO_DATABASES("two databases, each with a manager of its own, of JPA too"),
    TWO_MANAGERS("two managers or pools on one database");

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
