package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.client.Operations;
import java.util.EnumSet;
import java.util.List;

/** The rows of the table in docs/research/situations.md. */
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
    LONG_TRANSACTION(
            "a transaction that takes longer than the retry window",
            "a long one within the window; a client that outlasts a restart outlasts a short window: LedgerHorizonTest"),

    ASYNCHRONOUS_WITH_HEADER(
            "`@Async` with the key in the header, or by AspectJ", "refused at start: UnguardedBeansTest"),
    READ_ONLY_GUARD("`readOnly = true` on the guarded method or its class", "refused at start: GuardedMethodsTest"),
    UNKNOWN_DATA_SOURCE(
            "a manager whose data source is not known, such as one of JTA",
            "refused at start: TransactionManagersTest"),
    BROKERS_MANAGER(
            "a message broker's manager beside one with a data source", "decided at start: TransactionManagersTest"),
    ADVICE_BEFORE(
            "own aspects, tenant checks and rate limits, before the method's transaction",
            "what they refuse is not an operation: OwnAdviceTest"),
    ADVICE_WITHIN("own aspects within the method's transaction", "as those before it: OwnAdviceTest"),
    CATCHING_ADVICE("aspects that catch every exception", "they change no outcome: OwnAdviceTest"),
    CATCHING_HANDLER(
            "a handler with the key of its request that catches every exception",
            "it changes no outcome: RequestKeyTest"),
    SECOND_USE("a second use of the key of a request", "apart from the first it is refused: RequestKeyTest"),
    BUSY_SCOPE("as many slow calls in one scope as it admits", "each has its connection: BusyScopeTest"),
    NOTHING_GUARDED(
            "an application that guards nothing, on any database", "there are no operations: OtherDatabasesTest"),
    UNGUARDED_BEAN(
            "a bean that is made too early, or stands in a child context without fbf",
            "refused at start: UnguardedBeansTest"),
    UNRECORDABLE(
            "fbf's tables or the rights on them are gone, or the database is read-only, while the application runs",
            "each operation is refused: UnrecordableTest");

    private static final List<Situation> WITH_OPERATIONS =
            List.copyOf(EnumSet.range(CALLERS_TRANSACTION, LONG_TRANSACTION));

    private final String title;
    private final String remark;

    Situation(String title) {
        this(title, "");
    }

    Situation(String title, String remark) {
        this.title = title;
        this.remark = remark;
    }

    /** As the page has it. */
    public String title() {
        return title;
    }

    /** Why there are no operations, or what is left out; empty if nothing is. */
    public String remark() {
        return remark;
    }

    public static List<Situation> withOperations() {
        return WITH_OPERATIONS;
    }

    public String page() {
        return Operations.page(WITH_OPERATIONS.indexOf(this));
    }

    public static Situation of(String page) {
        return WITH_OPERATIONS.get(Integer.parseInt(page.substring(Operations.PAGE.length())));
    }
}
