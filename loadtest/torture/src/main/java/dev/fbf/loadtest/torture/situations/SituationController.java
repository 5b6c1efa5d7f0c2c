package dev.fbf.loadtest.torture.situations;

import dev.fbf.loadtest.torture.situations.Guarded.Delivered;
import dev.fbf.loadtest.torture.situations.Guarded.Placed;
import dev.fbf.loadtest.torture.situations.Listeners.Event;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Makes each call in the situation of its page. What fails on purpose is retried by its client, as what was killed is. */
@RestController
class SituationController {

    private static final int SMALL_BATCH = 20;
    private static final int LARGE_BATCH = 500;

    /** One in so many batches is large. */
    private static final int LARGE_BATCHES = 32;

    /** A key that carries its time, of 2020. */
    private static final String LATE_KEY = "016f5e66-e800-7000-8000-000000000000";

    private static final List<TransactionPhase> AFTER_THE_END =
            List.of(TransactionPhase.AFTER_COMMIT, TransactionPhase.AFTER_ROLLBACK, TransactionPhase.AFTER_COMPLETION);

    private final Guarded guarded;
    private final OtherManagers others;
    private final Pages pages;
    private final Below below;
    private final ApplicationEventPublisher publisher;
    private final JdbcTemplate template;
    private final JdbcClient jdbc;
    private final IdempotentScope messages;
    private final TransactionTemplate transaction;
    private final TransactionTemplate repeatableRead;

    SituationController(
            Guarded guarded,
            OtherManagers others,
            Pages pages,
            Below below,
            ApplicationEventPublisher publisher,
            JdbcTemplate template,
            IdempotentOperations operations,
            PlatformTransactionManager transactions) {
        this.guarded = guarded;
        this.others = others;
        this.pages = pages;
        this.below = below;
        this.publisher = publisher;
        this.template = template;
        jdbc = JdbcClient.create(template);
        messages = operations.scope("messages");
        transaction = new TransactionTemplate(transactions);
        repeatableRead = new TransactionTemplate(transactions);
        repeatableRead.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    @PostMapping("/probes")
    @IdempotentIncrement(scope = Guarded.SCOPE)
    void probe() {
        jdbc.sql("UPDATE torture_probe SET applied = applied + 1").update();
    }

    @PostMapping("/pages/{page}/views")
    ResponseEntity<Void> count(@PathVariable String page, @RequestHeader("Idempotency-Key") String header) {
        Call call = new Call(page, header.replace("\"", ""));
        if (!make(call, Situation.of(page))) {
            return ResponseEntity.status(503).build();
        }
        return ResponseEntity.ok()
                .header(
                        "Idempotent-Replayed",
                        Boolean.toString(!call.isApplied().get()))
                .build();
    }

    /** Returns whether the operation is applied: the client comes again for one that is applied after the response, if it is. */
    private boolean make(Call call, Situation situation) {
        switch (situation) {
            case CALLERS_TRANSACTION ->
                inTransaction(() -> {
                    guarded.count(call);
                    OnPurpose.failSometimes();
                });
            case BEFORE_COMMIT -> publishInTransaction(new Event(TransactionPhase.BEFORE_COMMIT, call));
            case AFTER_THE_END ->
                inTransaction(() -> {
                    guarded.count(call);
                    publisher.publishEvent(new Event(anyAfterTheEnd(), call.foreign("after the end")));
                    OnPurpose.failSometimes();
                });
            case AFTER_THE_END_IN_NEW -> {
                return isApplied(call, () -> publishInTransaction(new Placed(call)));
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
                    OnPurpose.ignore(OnPurpose.class, () -> guarded.countNestedAnd(call, OnPurpose::fail));
                    guarded.count(call);
                });
            case BATCH -> inTransaction(() -> applyBatch(call));
            case REDELIVERED -> deliver(call);
            case STRICTER_BELOW -> {
                Call refused = call.foreign("refused");
                OnPurpose.ignore(
                        IllegalStateException.class,
                        () -> guarded.run(refused, () -> below.countSerializably(refused)));
                guarded.runSerializably(call, () -> below.countSerializably(call));
            }
            case READ_ONLY_BELOW -> guarded.countAnd(call, () -> below.read(call));
            case NEW_BELOW -> guarded.countAnd(call, below::countElsewhere);
            case RETRYABLE -> {
                if (OnPurpose.sometimes()) {
                    below.retry(() -> guarded.countAnd(call, OnPurpose::failSometimes));
                } else {
                    guarded.countAndRetry(call, OnPurpose::failSometimes);
                }
            }
            case RETRYABLE_BELOW -> guarded.countAnd(call, () -> below.retry(() -> sometimes("SELECT 1 / 0")));
            case OLD_SNAPSHOT ->
                repeatableRead.executeWithoutResult(status -> {
                    below.read(call);
                    guarded.count(call);
                });
            case CALLBACK -> inTransaction(() -> countInCallback(call));
            case UNFINISHED ->
                guarded.countAndReturn(call, OnPurpose.sometimes() ? new CompletableFuture<>() : "finished");
            case TWO_DATABASES -> others.countInSecond(call);
            case TWO_MANAGERS -> others.countInSharing(call);
            case WAIT -> inTransaction(() -> guarded.waitAndCount(call));
            case REPOSITORY -> pages.add(call);
            case BROKEN_CONNECTION ->
                guarded.countAnd(call, () -> sometimes("SELECT pg_terminate_backend(pg_backend_pid())"));
            case LATE_KEY ->
                inTransaction(() -> {
                    OnPurpose.ignore(
                            IdempotencyKeyException.class, () -> guarded.count(new Call(call.page(), LATE_KEY)));
                    guarded.count(call);
                });
            case AWARE_DATA_SOURCE -> others.countInAware(call);
            case LONG_TRANSACTION ->
                inTransaction(() -> guarded.run(call, () -> {
                    sometimes("SELECT pg_sleep(0.5)");
                    call.apply(jdbc);
                }));
        }
        return true;
    }

    private void inTransaction(Runnable work) {
        transaction.executeWithoutResult(status -> work.run());
    }

    private void publishInTransaction(Object event) {
        inTransaction(() -> publisher.publishEvent(event));
    }

    private static TransactionPhase anyAfterTheEnd() {
        return AFTER_THE_END.get(ThreadLocalRandom.current().nextInt(AFTER_THE_END.size()));
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
        int size = call.key().hashCode() % LARGE_BATCHES == 0 ? LARGE_BATCH : SMALL_BATCH;
        AtomicInteger fresh = new AtomicInteger();
        for (int message = 0; message < size; message++) {
            messages.execute(IdempotencyKey.of(call.key() + "/" + message), fresh::incrementAndGet, fresh::get);
        }
        if (fresh.get() == size) {
            call.apply(jdbc);
        } else if (fresh.get() > 0) {
            call.foreign(fresh + " of " + size).apply(jdbc);
        }
    }

    private void deliver(Call call) {
        if (OnPurpose.sometimes()) {
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "password"));
        }
        try {
            publisher.publishEvent(new Delivered(call));
        } finally {
            SecurityContextHolder.clearContext();
        }
    }

    private void countInCallback(Call call) {
        switch (ThreadLocalRandom.current().nextInt(3)) {
            case 0 -> template.query("SELECT 1", (RowCallbackHandler) row -> guarded.count(call));
            case 1 -> {
                try (Stream<Integer> rows = template.queryForStream("SELECT 1", (row, number) -> number)) {
                    rows.forEach(row -> guarded.count(call));
                }
            }
            default ->
                template.execute((ConnectionCallback<Boolean>) connection -> {
                    guarded.count(call);
                    return true;
                });
        }
    }

    private void sometimes(String sql) {
        if (OnPurpose.sometimes()) {
            template.execute(sql);
        }
    }
}
