package dev.fbf.loadtest.torture.situations;

import dev.fbf.spring.IdempotentIncrement;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** The guarded methods, on the primary transaction manager. */
@Component
class Guarded {

    static final String SCOPE = "situations";

    private final JdbcClient jdbc;

    Guarded(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void count(Call call) {
        call.apply(jdbc);
    }

    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void countAnd(Call call, Runnable more) {
        call.apply(jdbc);
        more.run();
    }

    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void run(Call call, Runnable work) {
        work.run();
    }

    @Transactional(isolation = Isolation.SERIALIZABLE, timeout = 60)
    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void runSerializably(Call call, Runnable work) {
        work.run();
    }

    @Transactional(propagation = Propagation.NESTED)
    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void countNestedAnd(Call call, Runnable more) {
        call.apply(jdbc);
        more.run();
    }

    @IdempotentIncrement(scope = SCOPE, key = "#call.key", onDuplicate = "finished")
    public Object countAndReturn(Call call, Object result) {
        call.apply(jdbc);
        return result;
    }

    Object finished(Call call, Object result) {
        return "finished";
    }

    @IdempotentIncrement(scope = SCOPE, key = "#call.key", waitInProgress = "5s")
    public void waitAndCount(Call call) {
        call.apply(jdbc);
    }

    @Retryable(maxRetries = 2, delay = 1)
    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void countAndRetry(Call call, Runnable more) {
        call.apply(jdbc);
        more.run();
    }

    @Async
    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void countLater(Call call) {
        call.apply(jdbc);
    }

    /** An event of a transaction that commits. */
    record Placed(Call call) {}

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @TransactionalEventListener
    @IdempotentIncrement(scope = SCOPE, key = "#placed.call.key")
    public void on(Placed placed) {
        placed.call.apply(jdbc);
    }

    /** An event that comes with a login, or without. */
    record Delivered(Call call) {}

    @EventListener
    @IdempotentIncrement(scope = SCOPE, key = "'order-' + #delivered.call.key")
    public void on(Delivered delivered) {
        delivered.call.apply(jdbc);
    }
}
