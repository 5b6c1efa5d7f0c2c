package dev.fbf.core.guard;

import static dev.fbf.core.guard.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class HostSafekeepingTest {

    private static final OperationId A = new OperationId(1, 1);

    @TempDir
    private Path temporary;

    @Test
    void forcesTheClaimsOfManyThreadsTogether() throws Exception {
        int threads = 16;
        int calls = 100;
        AtomicLong now = new AtomicLong();
        AtomicLong lastForceBegan = new AtomicLong();
        AtomicInteger forces = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        AtomicInteger tooLate = new AtomicInteger();
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {
            together.incrementAndGet();
            long began = now.incrementAndGet();
            sleep(1);
            forces.incrementAndGet();
            lastForceBegan.set(began);
            assertThat(together.getAndDecrement()).isEqualTo(1);
        })) {
            Threads.run(threads, thread -> {
                for (int call = 0; call < calls; call++) {
                    long written = now.incrementAndGet();
                    safekeeping.forceClaims();
                    tooLate.addAndGet(lastForceBegan.get() > written ? 0 : 1);
                }
            });
        }

        assertThat(tooLate).as("calls with no force that began after them").hasValue(0);
        assertThat(forces).hasValueBetween(calls, threads * calls / 4);
    }

    @Test
    void tellsWhoeverIsConcernedThatTheClaimsCannotBeForced() {
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger forces = new AtomicInteger();
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {
            forces.incrementAndGet();
            if (broken.get()) {
                throw new UncheckedIOException(new IOException("the disk is gone"));
            }
        })) {
            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(safekeeping::forceClaims);
            broken.set(false);

            safekeeping.forceClaims();

            assertThat(forces).hasValue(2);
        }
    }

    @Test
    void freesClaimsWhenTheirFiltersAreForcedAndNotBefore() throws InterruptedException {
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        CountDownLatch freed = new CountDownLatch(1);
        AtomicBoolean forced = new AtomicBoolean();
        ForgetfulBloomFilter filter = new Forced(() -> {
            forcing.countDown();
            await(proceed);
            forced.set(true);
        });
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {})) {
            safekeeping.onceForced(Set.of(filter), () -> {
                assertThat(forced).isTrue();
                freed.countDown();
            });
            await(forcing);
            assertThat(freed.await(20, TimeUnit.MILLISECONDS)).isFalse();
            proceed.countDown();
            await(freed);
        }
    }

    @Test
    void forcesAFilterOnceForAllThatEndedMeanwhile() {
        AtomicInteger forces = new AtomicInteger();
        AtomicInteger freed = new AtomicInteger();
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        ForgetfulBloomFilter filter = new Forced(() -> {
            forces.incrementAndGet();
            forcing.countDown();
            await(proceed);
        });
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {})) {
            safekeeping.onceForced(Set.of(filter), freed::incrementAndGet);
            await(forcing);
            for (int i = 0; i < 100; i++) {
                safekeeping.onceForced(Set.of(filter), freed::incrementAndGet);
            }
            proceed.countDown();
        }
        assertThat(forces).hasValue(2);
        assertThat(freed).as("when it was closed").hasValue(101);
    }

    @Test
    void freesNothingWhoseFilterCannotBeForced() {
        AtomicInteger freed = new AtomicInteger();
        ForgetfulBloomFilter broken = new Forced(() -> {
            throw new UncheckedIOException(new IOException("the disk is gone"));
        });
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {})) {
            safekeeping.onceForced(Set.of(broken), () -> freed.addAndGet(100));
            CountDownLatch next = new CountDownLatch(1);
            while (next.getCount() > 0) { // one that is not forced together with it
                safekeeping.onceForced(Set.of(new Forced(() -> {})), next::countDown);
                sleep(1);
            }
        }
        assertThat(freed).hasValue(0);
    }

    @Test
    void goesOnAfterAnErrorAndTellsOfItUntilItSucceedsAgain() {
        AtomicInteger freed = new AtomicInteger();
        ForgetfulBloomFilter faulty = new Forced(() -> {
            throw new OutOfMemoryError("on purpose");
        });
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {})) {
            assertThat(safekeeping.failure()).isNull();
            safekeeping.onceForced(Set.of(faulty), () -> freed.addAndGet(100));
            await(() -> safekeeping.failure() != null);
            assertThat(safekeeping.failure()).hasMessage("on purpose");

            safekeeping.onceForced(Set.of(new Forced(() -> {})), () -> {
                freed.incrementAndGet();
                throw new IllegalStateException("one of them");
            });
            safekeeping.onceForced(Set.of(new Forced(() -> {})), freed::incrementAndGet);
            await(() -> freed.get() >= 2);
            safekeeping.onceForced(Set.of(new Forced(() -> {})), freed::incrementAndGet);
            await(() -> safekeeping.failure() == null);
        }
        assertThat(freed).hasValue(3);
    }

    @Test
    void forcesTheClaimsOfATransactionInDoubtBeforeAnybodyIsTold() {
        AtomicInteger forces = new AtomicInteger();
        Claims claims = HeapClaims.of(1);
        try (HostSafekeeping safekeeping = new HostSafekeeping(forces::incrementAndGet)) {
            WitnessedDatabase database = new WitnessedDatabase("main", claims, safekeeping, 1, () -> 7);
            database.begin(new FakeDatabase().tokens());
            database.onSettleable(() -> assertThat(forces).hasValue(1));
            Guard guard = new Guard(claims, "views", new Forced(() -> {}));
            WitnessedTransaction transaction = database.transaction((Claim) guard.admit(A));

            transaction.inDoubt();

            assertThat(forces).hasValue(1);
            assertThat(database.inDoubt()).isEqualTo(1);
        }
    }

    @Test
    void isInDoubtThoughTheClaimsCannotBeForced() {
        Claims claims = HeapClaims.of(1);
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {
            throw new UncheckedIOException(new IOException("the disk is gone"));
        })) {
            WitnessedDatabase database = new WitnessedDatabase("main", claims, safekeeping, 1, () -> 7);
            database.begin(new FakeDatabase().tokens());
            Guard guard = new Guard(claims, "views", new Forced(() -> {}));
            WitnessedTransaction transaction = database.transaction((Claim) guard.admit(A));

            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(transaction::inDoubt);

            assertThat(database.unsettled()).containsExactly(transaction);
            assertThat(guard.admit(A)).isEqualTo(Refusal.NO_ROOM);
        }
    }

    @Test
    void keepsTheRecordsThatAnOperatorDecidedOnUntilTheFilterIsForced() {
        CountDownLatch proceed = new CountDownLatch(1);
        ClaimRecords records = HeapClaims.records(1);
        Claims claims = new Claims(records, 1);
        try (HostSafekeeping safekeeping = new HostSafekeeping(() -> {})) {
            WitnessedDatabase database = new WitnessedDatabase("main", claims, safekeeping, 1, () -> 7);
            database.begin(new FakeDatabase().tokens());
            Guard guard = new Guard(claims, "views", new Forced(() -> await(proceed)));
            WitnessedTransaction transaction = database.transaction((Claim) guard.admit(A));
            transaction.inDoubt();

            assertThat(transaction.decide(true)).isTrue();

            assertThat(transaction.awaitSettled(Duration.ZERO)).isTrue();
            assertThat(transaction.isCommitted()).isTrue();
            assertThat(records.entries()).hasSize(1);
            assertThat(transaction.decide(true)).isFalse();
            assertThat(transaction.unknown(42)).isFalse();
            proceed.countDown();
        }
        assertThat(records.entries()).isEmpty();
        assertThat(claims.held()).as("the slot").isEqualTo(1);
    }

    @Test
    void appliesAndFreesInANodeThatSurvivesItsHost() {
        FakeDatabase witness = new FakeDatabase();
        try (Node node = Node.open(temporary, 2, Durability.HOST, AfterPowerFailure.WARN)) {
            Guard guard = node.guard("views", PLAN);
            WitnessedDatabase database = node.database("main");
            database.begin(witness.tokens());
            for (int i = 0; i < 10; i++) {
                OperationId id = new OperationId(i, 3);
                WitnessedTransaction transaction = database.transaction((Claim) guard.admit(id));
                transaction.beforeCommit();
                assertThat(witness.commit(transaction)).isTrue();
                transaction.committed();
                assertThat(transaction.isCommitted()).isTrue();
                assertThat(guard.admit(id)).isEqualTo(Refusal.APPLIED);
                await(() -> node.held() == 0); // the filter is forced
            }
            assertThat(node.held()).isZero();
        }
    }

    /** A filter that holds nothing, and can be forced. */
    private record Forced(Runnable forcing) implements ForgetfulBloomFilter {

        @Override
        public void put(OperationId id) {
            // not looked at
        }

        @Override
        public boolean mightContain(OperationId id) {
            return false;
        }

        @Override
        public void force() {
            forcing.run();
        }

        @Override
        public FilterPlan plan() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FilterStats stats() {
            throw new UnsupportedOperationException();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted()).as("timeout").isFalse();
            Thread.onSpinWait();
        }
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
