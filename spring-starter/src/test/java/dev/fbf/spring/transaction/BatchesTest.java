package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** Batches of operations: each operation is applied once, together with the others that are new. */
@Tag("slow")
@GuardedApp(properties = "fbf.max-claims=400")
class BatchesTest extends CountingAppTest {

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** Distinct keys for each test. */
    private final String prefix = NAMES.incrementAndGet() + "/";

    private final List<Integer> worked = Collections.synchronizedList(new ArrayList<>());

    private IdempotentScope scope;

    @BeforeEach
    void find() {
        scope = app.bean(IdempotentOperations.class)
                .builder("batches")
                .waitInProgress(Duration.ZERO)
                .build();
    }

    @AfterEach
    void noClaimIsLeft() {
        assertThat(app.held()).isZero();
    }

    @Test
    void areAppliedWithoutThoseThatWereAppliedBefore() {
        assertThat(apply(List.of(1, 2, 3, 2))).isEqualTo(3);
        assertThat(apply(List.of(1, 2, 3))).isZero();
        assertThat(scope.execute(key(4), () -> count(List.of(4)))).isTrue();
        assertThat(apply(List.of(5, 4, 3, 6))).isEqualTo(2);
        assertThat(scope.execute(key(6), () -> count(List.of(6)))).isFalse();
        assertThat(apply(List.of())).isZero();

        assertThat(worked).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(counted.value()).isEqualTo(6);
    }

    @Test
    void areNewAgainIfTheWorkFails() {
        assertThatThrownBy(() -> scope.executeAll(List.of(1, 2), this::key, items -> {
                    count(items);
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");

        assertThat(counted.value()).isZero();
        assertThat(apply(List.of(2, 1))).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void areNewAgainIfTheWorkMarksItsTransaction() {
        assertThat(scope.executeAll(List.of(1), this::key, items -> {
                    count(items);
                    TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                }))
                .isZero();

        assertThat(apply(List.of(1))).isEqualTo(1);
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void shareTheOutcomeOfTheirCallersTransaction() {
        app.transaction.executeWithoutResult(status -> {
            assertThat(apply(List.of(1, 2))).isEqualTo(2);
            assertThat(apply(List.of(2, 3))).isEqualTo(1);
            status.setRollbackOnly();
        });
        assertThat(counted.value()).isZero();

        app.transaction.executeWithoutResult(status -> {
            assertThat(apply(List.of(1, 2))).isEqualTo(2);
            assertThat(apply(List.of(2, 3))).isEqualTo(1);
        });
        assertThat(apply(List.of(1, 2, 3))).isZero();
        assertThat(counted.value()).isEqualTo(3);
    }

    @Test
    void ofSeveralThreadsThatOverlapAreAppliedOnce() {
        IdempotentScope patient = app.bean(IdempotentOperations.class)
                .builder("batches")
                .waitInProgress(Duration.ofMinutes(1))
                .build();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<Void>> all = IntStream.range(0, 10)
                    .mapToObj(batch -> CompletableFuture.runAsync(
                            () -> {
                                List<Integer> items = new ArrayList<>(IntStream.range(batch, batch + 20)
                                        .boxed()
                                        .toList());
                                Collections.shuffle(items);
                                patient.executeAll(items, this::key, this::count);
                            },
                            threads))
                    .toList();
            all.forEach(CompletableFuture::join);
        } finally {
            threads.shutdownNow();
        }
        assertThat(counted.value()).isEqualTo(29);
    }

    @Test
    void areRefusedWhileAnotherCallAppliesOneOfThem() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        CompletableFuture<Integer> other =
                CompletableFuture.supplyAsync(() -> scope.executeAll(List.of(2), this::key, items -> {
                    count(items);
                    entered.countDown();
                    await().until(() -> refused.getCount() == 0);
                }));
        entered.await();

        assertInProgress(() -> apply(List.of(1, 2, 3)));

        refused.countDown();
        assertThat(other.get()).isEqualTo(1);
        assertThat(apply(List.of(1, 2, 3))).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(3);
    }

    /** The second process waits for the first one's transaction, as for a row's lock, and then finds the operation applied. */
    @Test
    void ofAnotherProcessAreAwaited(DataSource dataSource, @TempDir Path directory) throws Exception {
        Assumptions.assumeTrue(mode == Mode.LEDGER, "one process applies a scope in filter mode");
        try (CountingApp second = CountingApp.start(dataSource, directory, "fbf.mode=ledger")) {
            IdempotentScope its = second.bean(IdempotentOperations.class).scope("batches");
            CountDownLatch entered = new CountDownLatch(1);
            CompletableFuture<Integer> waits = CompletableFuture.supplyAsync(() -> {
                try {
                    entered.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return its.executeAll(List.of(3, 2, 1), this::key, this::count);
            });
            app.transaction.executeWithoutResult(status -> {
                apply(List.of(1, 2));
                entered.countDown();
                await().until(() -> JdbcClient.create(dataSource)
                        .sql("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted")
                        .query(Boolean.class)
                        .single());
            });

            assertThat(waits.get()).isEqualTo(1);
            assertThat(counted.value()).isEqualTo(3);
        }
    }

    /** As a single operation is: it may be retried at once. */
    @Test
    void areRefusedIfARowOfTheWitnessHasAnotherToken(DataSource dataSource, @TempDir Path directory) {
        Assumptions.assumeTrue(mode == Mode.FILTER, "the ledger has no tokens");
        try (CountingApp its =
                CountingApp.start(dataSource, directory, "fbf.mode=filter", ConstantsOfTheTest.UNREGISTERED)) {
            IdempotentScope records = its.bean(IdempotentOperations.class).scope("records");
            assertThat(records.executeAll(List.of(1), this::key, this::count)).isEqualTo(1);
            counted.changeTokens(its.status.nodeId());

            assertUnavailable(() -> records.executeAll(List.of(2, 3), this::key, this::count))
                    .satisfies(refused -> assertThat(refused.reason()).isEqualTo(OperationOutcome.RECOVERING));

            await("they are new")
                    .ignoreExceptions()
                    .until(() -> records.executeAll(List.of(2, 3), this::key, this::count) == 2);
        }
    }

    private IdempotencyKey key(int item) {
        return IdempotencyKey.of(prefix + item);
    }

    private int apply(Collection<Integer> items) {
        return scope.executeAll(items, this::key, this::count);
    }

    private void count(List<Integer> items) {
        worked.addAll(items);
        jdbc.sql("UPDATE counted SET value = value + ?").param(items.size()).update();
    }
}
