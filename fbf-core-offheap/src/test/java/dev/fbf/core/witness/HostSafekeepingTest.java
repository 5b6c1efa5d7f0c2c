package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.Threads;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.KilledProcess;
import dev.fbf.core.filter.TinyFilter;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(30)
class HostSafekeepingTest {

    private static final OperationId A = new OperationId(1, 1);
    private static final OperationId B = new OperationId(2, 2);
    private static final List<Entry> CLAIMS = List.of(new Entry(0, A, 1, 1, 0, 10, 11, 1_000, null));

    private final HeapLog log = new HeapLog();
    private final AtomicInteger failures = new AtomicInteger();
    private final RecordedClaims claims = HeapClaims.of(2);
    private final ScopeClaims views = HeapClaims.scope(claims, "views", new TinyFilter(Rule.PAPER));

    @TempDir
    private Path temporary;

    @Test
    void oneForceServesAllThreadsThatWaitForAnother() throws Exception {
        CountedLog counted = new CountedLog();
        List<Thread> threads = new ArrayList<>();
        try (HostSafekeeping safekeeping = next(counted)) {
            for (int i = 0; i < 16; i++) {
                threads.add(new Thread(() -> safekeeping.beforeCommit(CLAIMS)));
            }
            counted.released = () -> threads.stream()
                            .filter(thread -> thread.getState() == Thread.State.WAITING)
                            .count()
                    == 15;
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        assertThat(counted.forces).hasValue(2);
    }

    @Test
    void aForceThatServesACallBeginsAfterIt() throws Exception {
        int threads = 16;
        int calls = 100;
        CountedLog counted = new CountedLog();
        AtomicInteger tooLate = new AtomicInteger();
        try (HostSafekeeping safekeeping = next(counted)) {
            Threads.run(threads, thread -> {
                for (int call = 0; call < calls; call++) {
                    long before = counted.now.incrementAndGet();
                    safekeeping.beforeCommit(CLAIMS);
                    tooLate.addAndGet(counted.lastForceBegan.get() > before ? 0 : 1);
                }
            });
        }

        assertThat(tooLate).as("calls with no force that began after them").hasValue(0);
        assertThat(counted.together).as("forces at a time").hasValue(1);
    }

    @Test
    void forcesNothingAnyMoreAfterAFailure() {
        HostSafekeeping safekeeping = next(log);
        log.broken(HeapLog.Fault.FAILS);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> safekeeping.beforeCommit(CLAIMS));
        log.broken(HeapLog.Fault.NONE);

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> safekeeping.beforeCommit(CLAIMS))
                .withMessageContaining("restart the application");
        assertThatExceptionOfType(StorageException.class).isThrownBy(safekeeping::force);
        safekeeping.ended(1, 0, 11, 2_000);
        safekeeping.forget();

        assertThat(log.forces()).isEqualTo(1);
        assertThat(failures).as("calls of onFailure").hasValue(1);
        assertThat(log.afterDeath().segments())
                .as("the records that the next process has to settle")
                .isNotEmpty();
    }

    /** After a second power failure a scope that is opened late must still find its operations. */
    @Test
    void keepsAllOfTheLogUntilTheScopesThatItNamesAreOpen() {
        HostSafekeeping first = next(log);
        first.begin(1, 1);
        first.beforeCommit(CLAIMS);
        first.ended(1, 0, 11, 2_000);
        first.force();
        HeapLog left = log.afterPowerLoss();
        HostSafekeeping second = next(left);
        second.begin(2, 1);
        RecordedFilter filter = new RecordedFilter();

        second.opened(2, filter);
        assertThat(left.kept()).isGreaterThan(Duration.ofDays(30).toMillis());

        second.opened(1, filter);
        assertThat(left.kept()).isEqualTo(filter.plan().window().toMillis());
    }

    @Test
    void isKnownToTheNextStartOfTheMachineOnceItHasBegun() {
        HostSafekeeping safekeeping = next(log);

        safekeeping.begin(1, 1);

        HostSafekeeping next = next(log.afterPowerLoss());
        assertThat(next.restored(List.of())).isEmpty();
        assertThat(next.log()).isEqualTo(safekeeping.log());
    }

    static Stream<Consumer<WitnessedTransaction>> endsWithoutCommit() {
        return Stream.of(
                WitnessedTransaction::rolledBack,
                WitnessedTransaction::mismatched,
                WitnessedTransaction::withdraw,
                transaction -> {
                    transaction.inDoubt();
                    assertThat(transaction.decide(false)).isTrue();
                });
    }

    /** Or the next start would ask about it, and keep a retry of its operations waiting, though the response is known. */
    @ParameterizedTest
    @MethodSource("endsWithoutCommit")
    void writesTheEndOfATransactionThatWasAboutToCommitAndDoesNot(Consumer<WitnessedTransaction> end) {
        WitnessedTransaction transaction = transaction(next(log));
        transaction.beforeCommit();
        assertThat(next(log.afterDeath()).restored(List.of())).hasSize(1);

        end.accept(transaction);

        assertThat(next(log.afterDeath()).restored(List.of())).isEmpty();
    }

    @Test
    void goesOnWhenThereIsRoomAgain() {
        HostSafekeeping safekeeping = next(log);
        safekeeping.begin(1, 1);
        log.broken(HeapLog.Fault.FULL);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> safekeeping.beforeCommit(CLAIMS));
        safekeeping.force();
        log.broken(HeapLog.Fault.NONE);

        safekeeping.beforeCommit(CLAIMS);

        assertThat(failures).as("calls of onFailure").hasValue(0);
        assertThat(safekeeping.failure()).isNull();
        assertThat(next(log.afterPowerLoss()).restored(List.of())).hasSize(1);
    }

    /** Or retries on a full disk would take the room that the ends of others need. */
    @Test
    void writesNoEndOfATransactionThatWasNotWrittenDown() {
        log.broken(HeapLog.Fault.FULL);
        WitnessedTransaction transaction = database(next(log)).transaction((Claim) views.admit(A));
        assertThatExceptionOfType(StorageException.class).isThrownBy(transaction::beforeCommit);

        transaction.rolledBack();

        assertThat(log.afterDeath().segments()).allMatch(segment -> segment.length == 0);
        assertThat(views.admit(A)).isInstanceOf(Claim.class);
    }

    @Test
    void forcesWhatWasStartedThoughNobodyWaits() {
        CountedLog counted = new CountedLog();
        HostSafekeeping safekeeping = next(counted);

        safekeeping.start(CLAIMS);
        safekeeping.close();

        assertThat(counted.forces).hasValue(1);
    }

    @Test
    void forcesEachTimeSomethingIsStarted() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));

        safekeeping.start(CLAIMS);
        safekeeping.start(CLAIMS);

        assertThat(log.forces()).isEqualTo(2);
    }

    @Test
    void commitsWithTheForceThatWasStarted() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));
        WitnessedTransaction transaction = transaction(safekeeping);

        transaction.startForce();
        int forces = log.forces();
        transaction.beforeCommit();

        assertThat(log.forces()).isEqualTo(forces);
        assertThat(next(log.afterPowerLoss()).restored(List.of())).hasSize(1);
    }

    @Test
    void doesNotForceAgainWhatTheCommitHasForced() {
        Inline late = new Inline(false);
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, late);
        WitnessedTransaction transaction = transaction(safekeeping);
        transaction.startForce();
        transaction.beforeCommit();
        int forces = log.forces();

        late.runLast();

        assertThat(log.forces()).isEqualTo(forces);
    }

    @Test
    void forcesBeforeTheCommitWhatNoThreadHasForcedUntilThen() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(false));
        WitnessedTransaction transaction = transaction(safekeeping);

        transaction.startForce();
        assertThat(next(log.afterPowerLoss()).restored(List.of())).isEmpty();
        transaction.beforeCommit();

        assertThat(next(log.afterPowerLoss()).restored(List.of())).hasSize(1);
    }

    @Test
    void forgetsAStartedOperationThatTheTransactionHasTakenBack() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));
        WitnessedTransaction transaction = transaction(safekeeping);
        transaction.startForce();
        transaction.undoAfter(0);

        transaction.beforeCommit();

        assertThat(next(log.afterPowerLoss()).restored(List.of())).isEmpty();
    }

    @Test
    void forcesBeforeTheCommitWhatWasAddedAfterTheStart() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));
        WitnessedTransaction transaction = transaction(safekeeping);
        transaction.startForce();
        transaction.add((Claim) views.admit(B));

        transaction.beforeCommit();

        assertThat(next(log.afterPowerLoss()).restored(List.of()))
                .extracting(Entry::id)
                .containsExactly(A, B);
    }

    @Test
    void startsAgainBeforeTheCommitWhereThereWasNoRoom() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));
        WitnessedTransaction transaction = transaction(safekeeping);
        log.broken(HeapLog.Fault.FULL);
        transaction.startForce();
        log.broken(HeapLog.Fault.NONE);

        transaction.beforeCommit();

        assertThat(failures).as("calls of onFailure").hasValue(0);
        assertThat(next(log.afterPowerLoss()).restored(List.of())).hasSize(1);
    }

    @Test
    void doesNotCommitWhenTheForceThatWasStartedFails() {
        HostSafekeeping safekeeping = new HostSafekeeping(log, failures::incrementAndGet, new Inline(true));
        WitnessedTransaction transaction = transaction(safekeeping);
        log.broken(HeapLog.Fault.FAILS);

        transaction.startForce();

        assertThatExceptionOfType(StorageException.class).isThrownBy(transaction::beforeCommit);
        assertThat(failures).as("calls of onFailure").hasValue(1);
    }

    private WitnessedTransaction transaction(HostSafekeeping safekeeping) {
        safekeeping.begin(1, 2);
        return database(safekeeping).transaction((Claim) views.admit(A));
    }

    private WitnessedDatabase database(HostSafekeeping safekeeping) {
        WitnessedDatabase database = new WitnessedDatabase(
                "main", new UUID(1, 1), claims, safekeeping, HeapClaims.tokens(2), previous -> 7, () -> {});
        database.setTokens(new FakeDatabase().tokens());
        return database;
    }

    @Test
    void forcesTheEndOfTheLastTransactionBeforeAnotherUpdatesTheRow() {
        HostSafekeeping safekeeping = next(log);
        safekeeping.begin(1, 1);
        safekeeping.beforeCommit(CLAIMS);
        safekeeping.ended(1, 0, 11, 2_000);
        assertThat(next(log.afterPowerLoss()).restored(List.of())).hasSize(1);

        safekeeping.beforeCommit(List.of());

        assertThat(next(log.afterPowerLoss()).restored(List.of())).isEmpty();
    }

    @Test
    void restoresTheClaimsThoughTheMachineIsUpSinceItsFileSystemMayHaveFailed() {
        HostSafekeeping safekeeping = next(log);
        assertThat(safekeeping.hasLeft()).as("at the first start").isFalse();
        safekeeping.begin(1, 1);
        safekeeping.beforeCommit(CLAIMS);

        assertThat(next(log.afterDeath()).restored(List.of())).isEqualTo(CLAIMS);
    }

    /** Somebody has put an earlier state of the log back; or the claim was never about to commit. */
    @Test
    void keepsTheRecordsThatTheLogDoesNotKnow() {
        HostSafekeeping safekeeping = next(log);
        safekeeping.begin(1, 1);
        safekeeping.beforeCommit(CLAIMS);
        Entry logged = CLAIMS.get(0);
        Entry later = new Entry(0, new OperationId(9, 9), 1, 1, 0, logged.next(), logged.next() + 1, 1_000, null);

        assertThat(next(log.afterDeath()).restored(List.of(later))).containsExactly(later);
        assertThat(next(log.afterDeath()).restored(CLAIMS)).isEqualTo(CLAIMS);
    }

    @Test
    void isInDoubtThoughNothingCanBeForced() {
        log.broken(HeapLog.Fault.FAILS);
        WitnessedDatabase database = database(next(log));
        WitnessedTransaction transaction = database.transaction((Claim) views.admit(A));

        assertThatExceptionOfType(RuntimeException.class).isThrownBy(transaction::inDoubt);

        assertThat(database.settleable()).containsExactly(transaction);
        assertThat(views.admit(A)).isEqualTo(Refusal.IN_DOUBT);
    }

    @Test
    void forcesBeforeAnybodyIsToldOfATransactionInDoubt() {
        WitnessedDatabase database = database(next(log));
        database.onSettleable(() -> assertThat(log.forces()).isEqualTo(1));

        database.transaction((Claim) views.admit(A)).inDoubt();

        assertThat(database.inDoubt()).isEqualTo(1);
    }

    @Test
    void aNodeThatCannotForceAdmitsNothingAnyMore() {
        try (Node node = open(temporary)) {
            ScopeClaims scope = node.scope("views", PLAN);
            WitnessedDatabase database = node.database("main");
            database.setTokens(new FakeDatabase().tokens());
            WitnessedTransaction transaction = database.transaction((Claim) scope.admit(A));
            node.safekeeping.close();

            assertThatExceptionOfType(RuntimeException.class).isThrownBy(transaction::beforeCommit);

            transaction.rolledBack();
            assertThat(scope.admit(B)).isEqualTo(Refusal.FAILED);
            assertThat(node.isStopped()).isTrue();
            assertThat(node.failure("views")).isNotNull();
        }
    }

    @Test
    void aNodeRemembersAfterAPowerFailureWhatTheDiskHasNot() throws Exception {
        FakeDatabase witness = new FakeDatabase();
        Path crashed = temporary.resolve("crashed");
        Path before = temporary.resolve("before");
        OperationId inDoubt = new OperationId(77, 7);
        try (Node node = open(temporary.resolve("first"))) {
            ScopeClaims scope = node.scope("views", PLAN);
            WitnessedDatabase database = node.database("main");
            database.setTokens(witness.tokens());
            KilledProcess.leave(temporary.resolve("first"), before);
            for (int i = 0; i < 100; i++) {
                WitnessedTransaction transaction = database.transaction((Claim) scope.admit(new OperationId(i, 3)));
                transaction.beforeCommit();
                assertThat(witness.commit(transaction)).isTrue();
                transaction.committed();
            }
            WitnessedTransaction lost = database.transaction((Claim) scope.admit(inDoubt));
            lost.beforeCommit();
            assertThat(witness.commit(lost)).isTrue();
            KilledProcess.leave(temporary.resolve("first"), crashed);
        }
        // of the mapped files the disk has nothing newer than their beginning
        for (String file : List.of("fbf.claims", "views~1.fbf")) {
            Files.copy(before.resolve(file), crashed.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        try (LogFiles files = new LogFiles(crashed, 12_345, () -> 0)) {
            ClaimLog ofAnotherBoot = new ClaimLog(files);
            ofAnotherBoot.opened(12_345, ofAnotherBoot.read(claim -> {}).number(), 1);
        }

        try (Node node = open(crashed)) {
            ScopeClaims scope = node.scope("views", PLAN);
            WitnessedDatabase database = node.database("main");
            database.setTokens(witness.tokens());
            assertThat(scope.filter().incompleteFor()).isZero();
            assertThat(database.settleable()).singleElement().satisfies(left -> {
                assertThat(left.operations()).containsExactly(inDoubt);
                assertThat(left.settled(witness.token(left.slot()) == left.next(), left.next()))
                        .isTrue();
            });
            for (int i = 0; i < 100; i++) {
                assertThat(scope.admit(new OperationId(i, 3))).isEqualTo(Refusal.APPLIED);
            }
            assertThat(scope.admit(inDoubt)).isEqualTo(Refusal.APPLIED);
        }
        assertThat(crashed).as("after a clean end").isDirectoryNotContaining("glob:**fbf.log~*");
    }

    @Test
    void aNodeThatNeedNotSurviveItsMachineDeletesTheLog() throws Exception {
        Path crashed = temporary.resolve("crashed");
        try (Node node = open(temporary.resolve("first"))) {
            KilledProcess.leave(temporary.resolve("first"), crashed);
            assertThat(node.held()).isZero();
        }
        assertThat(crashed).isDirectoryContaining("glob:**fbf.log~*");

        Node.open(crashed, 2, Durability.PROCESS, AfterPowerFailure.WARN).close();

        assertThat(crashed).isDirectoryNotContaining("glob:**fbf.log~*");
    }

    private static Node open(Path directory) {
        return Node.open(directory, 2, Durability.HOST, AfterPowerFailure.HOLD_BACK);
    }

    private HostSafekeeping next(HeapLog left) {
        return new HostSafekeeping(left, failures::incrementAndGet);
    }

    /** Counts its forces, each of which takes its time, as that of a disk does, so that other threads come meanwhile. */
    private static final class CountedLog extends HeapLog {

        private final AtomicLong now = new AtomicLong();
        private final AtomicLong lastForceBegan = new AtomicLong();
        private final AtomicInteger forces = new AtomicInteger();
        private final AtomicInteger forcing = new AtomicInteger();
        private final AtomicInteger together = new AtomicInteger();
        private volatile BooleanSupplier released = () -> true;

        @Override
        public void force() {
            together.accumulateAndGet(forcing.incrementAndGet(), Math::max);
            long began = now.incrementAndGet();
            do {
                LockSupport.parkNanos(1_000_000);
            } while (forces.get() == 0 && !released.getAsBoolean());
            forces.incrementAndGet();
            lastForceBegan.set(began);
            forcing.decrementAndGet();
        }
    }
}
