package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.spring.IdempotentIncrement;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** The guarded methods, on the primary transaction manager. */
@Component
class Guarded {

    static final String SCOPE = TortureApplication.SCOPE;

    private final JdbcClient jdbc;

    Guarded(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Counts what is asked of each start of an application, on a row that nobody else adds to. */
    @IdempotentIncrement(scope = SCOPE, key = "#key")
    public void probe(String key) {
        jdbc.sql("UPDATE torture_probe SET applied = applied + 1").update();
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

    @Async
    @IdempotentIncrement(scope = SCOPE, key = "#call.key")
    public void countLater(Call call) {
        call.apply(jdbc);
    }

    /** An event of a transaction that commits, in which its operation is, or which is over before. */
    record Before(Call call) {}

    record After(Call call) {}

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    @IdempotentIncrement(scope = SCOPE, key = "#before.call.key")
    public void on(Before before) {
        before.call.apply(jdbc);
    }

    /** Is refused; what a listener throws then is logged. */
    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
    @IdempotentIncrement(scope = SCOPE, key = "#after.call.key")
    public void on(After after) {
        after.call.apply(jdbc);
    }

    record AfterInNew(Call call) {}

    /** A listener whose own method begins the new transaction. */
    @Component
    static class Listener {

        private final Guarded guarded;

        Listener(Guarded guarded) {
            this.guarded = guarded;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @TransactionalEventListener
        public void on(AfterInNew after) {
            guarded.count(after.call);
        }
    }
}
