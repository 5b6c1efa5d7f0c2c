package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.situations.Guarded.After;
import dev.fbf.loadtest.torture.situations.Guarded.AfterInNew;
import dev.fbf.loadtest.torture.situations.Guarded.Before;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Makes each call in the situation of its page. What fails on purpose is retried by its client, as what was killed is. */
@RestController
class SituationController {

    private static final int BATCH = 50;

    /** The share of calls that fail where some do. */
    private static final double FAILURES = 0.2;

    private final Guarded guarded;
    private final OtherManagers others;
    private final ApplicationEventPublisher publisher;
    private final JdbcClient jdbc;
    private final IdempotentScope messages;
    private final TransactionTemplate transaction;
    private final TransactionTemplate another;
    private final TransactionTemplate nested;

    SituationController(
            Guarded guarded,
            OtherManagers others,
            ApplicationEventPublisher publisher,
            JdbcClient jdbc,
            IdempotentOperations operations,
            PlatformTransactionManager transactions) {
        this.guarded = guarded;
        this.others = others;
        this.publisher = publisher;
        this.jdbc = jdbc;
        messages = operations.scope("messages");
        transaction = new TransactionTemplate(transactions);
        another = new TransactionTemplate(transactions);
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        nested = new TransactionTemplate(transactions);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    }

    @PostMapping("/probes")
    void probe(@RequestHeader("Idempotency-Key") String header) {
        guarded.probe(header);
    }

    @PostMapping("/pages/{page}/views")
    ResponseEntity<Void> count(@PathVariable String page, @RequestHeader("Idempotency-Key") String header) {
        Call call = new Call(page, header.replace("\"", ""));
        return ResponseEntity.status(make(call, Situation.of(page)) ? 200 : 503).build();
    }

    /** Returns whether the operation is applied: the client comes again for one that is applied after the response, if it is. */
    private boolean make(Call call, Situation situation) {
        switch (situation) {
            case CALLERS_TRANSACTION ->
                inTransaction(() -> {
                    guarded.count(call);
                    failSometimes();
                });
            case BEFORE_COMMIT -> inTransaction(() -> publisher.publishEvent(new Before(call)));
            case AFTER_THE_END ->
                inTransaction(() -> {
                    guarded.count(call);
                    publisher.publishEvent(new After(call.foreign("after the end")));
                    failSometimes();
                });
            case AFTER_THE_END_IN_NEW -> {
                return isApplied(call, () -> inTransaction(() -> publisher.publishEvent(new AfterInNew(call))));
            }
            case ASYNCHRONOUS -> {
                return isApplied(call, () -> guarded.countLater(call));
            }
            case SAME_KEY_TWICE ->
                inTransaction(() -> {
                    guarded.count(call);
                    guarded.count(call);
                });
            case SAVEPOINT ->
                inTransaction(() -> {
                    try {
                        nested.executeWithoutResult(status -> guarded.countAnd(call, () -> failIn(1)));
                    } catch (IllegalStateException onPurpose) {
                        guarded.count(call);
                    }
                });
            case BATCH -> inTransaction(() -> applyBatch(call));
            case NEW_BELOW -> guarded.countAnd(call, () -> another.executeWithoutResult(status -> countElsewhere()));
            case TWO_DATABASES -> others.countInSecond(call);
            case TWO_MANAGERS -> others.countInSharing(call);
        }
        return true;
    }

    private void inTransaction(Runnable work) {
        transaction.executeWithoutResult(status -> work.run());
    }

    /** On a row that nothing is compared with. */
    private void countElsewhere() {
        jdbc.sql("UPDATE torture_probe SET applied = applied + 1").update();
    }

    private static void failSometimes() {
        failIn(FAILURES);
    }

    private static void failIn(double share) {
        if (ThreadLocalRandom.current().nextDouble() < share) {
            throw new IllegalStateException("on purpose");
        }
    }

    private boolean isApplied(Call call, Runnable otherwise) {
        if (!isWrittenDown(call)) {
            otherwise.run();
        }
        return isWrittenDown(call);
    }

    private boolean isWrittenDown(Call call) {
        return jdbc.sql("SELECT EXISTS (SELECT FROM torture_applied WHERE operation = ?)")
                .param(call.key())
                .query(Boolean.class)
                .single();
    }

    /** The operation of a batch is that all of its messages are new. */
    private void applyBatch(Call call) {
        AtomicInteger fresh = new AtomicInteger();
        for (int message = 0; message < BATCH; message++) {
            messages.execute(IdempotencyKey.of(call.key() + "/" + message), fresh::incrementAndGet, fresh::get);
        }
        if (fresh.get() == BATCH) {
            call.apply(jdbc);
        } else if (fresh.get() > 0) {
            call.foreign(fresh + " of " + BATCH).apply(jdbc);
        }
    }
}
