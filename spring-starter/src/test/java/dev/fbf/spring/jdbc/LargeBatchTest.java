package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches as large as message listeners get them by default, in several threads, without a setting. */
@ExtendWith(PostgresExtension.class)
class LargeBatchTest {

    private static final int THREADS = 4;

    /** What a Kafka consumer polls by default. */
    private static final int RECORDS = 500;

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void ofSeveralThreadsAreAppliedInOneTransactionEach(Mode mode, DataSource dataSource, @TempDir Path directory) {
        try (CountingApp app = CountingApp.start(dataSource, directory, "fbf.mode=" + mode)) {
            IdempotentScope scope = app.bean(IdempotentOperations.class).scope("records");
            CyclicBarrier allHoldTheirs = new CyclicBarrier(THREADS);

            assertThat(deliver(app, scope, allHoldTheirs)).isEqualTo(THREADS * RECORDS);
            assertThat(deliver(app, scope, allHoldTheirs)).as("delivered again").isZero();
            assertThat(app.status.all()).extracting(ScopeClaims::held).containsOnly(0);
        }
    }

    /** Returns how many records were applied. */
    private static int deliver(CountingApp app, IdempotentScope scope, CyclicBarrier allHoldTheirs) {
        AtomicInteger applied = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<CompletableFuture<Void>> batches = IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.runAsync(
                            () -> app.transaction.executeWithoutResult(status -> {
                                for (int record = 0; record < RECORDS; record++) {
                                    IdempotencyKey key = IdempotencyKey.of(thread + "/" + record);
                                    scope.execute(key, applied::incrementAndGet, applied::get);
                                }
                                await(allHoldTheirs);
                            }),
                            threads))
                    .toList();
            batches.forEach(CompletableFuture::join);
        } finally {
            threads.shutdownNow();
        }
        return applied.get();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
