package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterDouble;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScopeClaimsTest {

    private static final OperationId OPERATION = new OperationId(1, 1);
    private static final OperationId ANOTHER = new OperationId(2, 2);

    @TempDir
    private Path temporary;

    private FilterDirectory directory;
    private ForgetfulBloomFilter filter;
    private ScopeClaims guard;

    @BeforeEach
    void open() {
        directory = FilterDirectory.open(temporary);
        filter = directory.filter("views", FilterSizing.DEFAULT.plan());
        guard = guard(filter, 2);
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void admitsANewOperation() {
        assertThat(guard.admit(OPERATION)).isInstanceOfSatisfying(Claim.class, claim -> {
            assertThat(claim.id()).isEqualTo(OPERATION);
            assertThat(claim.retryWindow()).isEqualTo(FilterSizing.DEFAULT.retryWindow());
            assertThat(claim.isHeld()).isTrue();
        });
    }

    @Test
    void refusesAnOperationInProgress() {
        claim(OPERATION);

        assertThat(guard.admit(OPERATION)).isEqualTo(Refusal.IN_PROGRESS);
    }

    @Test
    void countsTheClaimsOfItsScopeAlone() {
        Claims claims = HeapClaims.of(3);
        ScopeClaims views = HeapClaims.scope(claims, "views", filter);
        ScopeClaims clicks = HeapClaims.scope(claims, "clicks", filter);
        Claim first = (Claim) views.admit(new OperationId(1, 1));
        views.admit(new OperationId(2, 2));
        clicks.admit(new OperationId(3, 3));

        assertThat(views.held()).isEqualTo(2);
        assertThat(clicks.held()).isEqualTo(1);
        assertThat(views.inDoubt()).isZero();
        first.rolledBack();
        assertThat(views.held()).isEqualTo(1);
    }

    @Test
    void refusesAnAppliedOperation() {
        claim(OPERATION).applied();

        assertThat(guard.admit(OPERATION)).isEqualTo(Refusal.APPLIED);
    }

    /** Otherwise a retry that comes between the two would be taken for another request. */
    @Test
    void theFilterKnowsTheRequestBeforeTheOperation() {
        FilterSizing sizing = new FilterSizing(10, Duration.ofHours(1), 1e-6, FilterSizing.UNLIMITED, true);
        ForgetfulBloomFilter compared = directory.filter("compared", sizing.plan());
        Claim claim =
                (Claim) HeapClaims.scope(HeapClaims.of(1), "compared", compared).admit(OPERATION);

        claim.requestedBy(ANOTHER);
        compared.put(OPERATION);

        assertThat(compared.isOfAnotherRequest(OPERATION, ANOTHER)).isFalse();
    }

    /** Or the filter would forget the request of a slow operation before the operation, and take a retry for another's. */
    @Test
    void theFilterGetsTheRequestOnceMoreWhenTheOperationIsApplied() {
        RecordedFilter recorded = new RecordedFilter();
        Claim claim = (Claim) guard(recorded, 1).admit(OPERATION);

        claim.requestedBy(ANOTHER);
        claim.applied();

        assertThat(recorded.calls)
                .containsExactly("request " + ANOTHER, "operation " + OPERATION, "request " + ANOTHER);
    }

    @Test
    void theFilterGetsNoRequestOfAnOperationWithoutOne() {
        RecordedFilter recorded = new RecordedFilter();

        ((Claim) guard(recorded, 1).admit(OPERATION)).applied();

        assertThat(recorded.calls).containsExactly("operation " + OPERATION);
    }

    /** As one between its commit and its end. */
    @Test
    void refusesAnOperationThatTheFilterKnowsThoughItIsHeld() {
        claim(OPERATION);
        filter.put(OPERATION);

        assertThat(guard.admit(OPERATION)).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void nothingIsBeingAppliedOnceAllWereRefusedOrHaveEnded() {
        Claims claims = HeapClaims.of(2);
        ScopeClaims views = HeapClaims.scope(claims, "views", filter);
        Claim claim = (Claim) views.admit(OPERATION);
        assertThat(views.admit(OPERATION)).isEqualTo(Refusal.IN_PROGRESS);
        Claim other = (Claim) views.admit(ANOTHER);
        assertThat(views.admit(new OperationId(3, 3))).isEqualTo(Refusal.NO_ROOM);
        assertThat(claims.gate().inside()).isEqualTo(2);

        claim.applied();
        other.rolledBack();

        assertThat(claims.gate().inside()).isZero();
    }

    @Test
    void admitsAnOperationAgainAfterARollback() {
        claim(OPERATION).rolledBack();

        assertThat(guard.admit(OPERATION)).isInstanceOf(Claim.class);
    }

    @Test
    void refusesWhenThereIsNoRoomUntilAClaimEnds() {
        Claim first = claim(OPERATION);
        claim(ANOTHER);

        assertThat(guard.admit(new OperationId(3, 3))).isEqualTo(Refusal.NO_ROOM);
        first.applied();
        assertThat(guard.admit(new OperationId(3, 3))).isInstanceOf(Claim.class);
    }

    @Test
    void refusalsTakeNoRoom() {
        claim(OPERATION).applied();
        for (int i = 0; i < 10; i++) {
            assertThat(guard.admit(OPERATION)).isEqualTo(Refusal.APPLIED);
        }
        claim(ANOTHER);
        assertThat(guard.admit(ANOTHER)).isEqualTo(Refusal.IN_PROGRESS);

        assertThat(guard.admit(new OperationId(3, 3))).isInstanceOf(Claim.class);
    }

    @Test
    void admitsNothingAfterItWasStoppedButEndsWhatIsHeld() {
        Claim held = claim(OPERATION);

        guard.stop();

        assertThat(guard.admit(ANOTHER)).isEqualTo(Refusal.STOPPED);
        held.applied();
        assertThat(filter.mightContain(OPERATION)).isTrue();
    }

    @Test
    void refusesToEndAClaimTwice() {
        Claim claim = claim(OPERATION);
        claim.applied();

        assertThat(claim.isHeld()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(claim::rolledBack)
                .withMessage("claim=" + OPERATION + ": is ENDED, not HELD");
        assertThat(guard.admit(OPERATION)).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void refusesToBeMadeWithoutRoom() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Node.open(Path.of("never made"), 0, Durability.PROCESS, AfterPowerFailure.WARN))
                .withMessage("maxClaims=0: must be at least 1");
    }

    @Test
    void admitsNoRequestThatAskedTheFilterBeforeAnotherAppliedTheOperation() {
        List<Admission> admissions = new ArrayList<>();
        Deque<Runnable> meanwhile = new ArrayDeque<>();
        ScopeClaims intercepted = guard(new InterceptedFilter(filter, meanwhile, () -> Duration.ZERO), 2);
        // while the first request has asked the filter, a second one comes and is served to its end
        meanwhile.add(() -> admissions.add(admitAndApply(intercepted)));

        admissions.add(admitAndApply(intercepted));

        assertThat(admissions).hasSize(2).filteredOn(Claim.class::isInstance).hasSize(1);
    }

    private static Admission admitAndApply(ScopeClaims guard) {
        Admission admission = guard.admit(OPERATION);
        if (admission instanceof Claim claim) {
            claim.applied();
        }
        return admission;
    }

    @Test
    void holdsBackWhatComesUntilItsFilterIsComplete() {
        AtomicReference<Duration> left = new AtomicReference<>(Duration.ofMinutes(10));
        ForgetfulBloomFilter incomplete = new InterceptedFilter(filter, new ArrayDeque<>(), left::get);
        ScopeClaims holding = new ScopeClaims(
                HeapClaims.of(2), "views", incomplete, AfterPowerFailure.HOLD_BACK, Duration.ofMinutes(10));
        assertThat(holding.heldBackFor()).hasMinutes(10);
        assertThat(holding.admit(OPERATION)).isEqualTo(Refusal.HELD_BACK);

        left.set(Duration.ofMillis(1));
        assertThat(holding.admit(OPERATION)).isEqualTo(Refusal.HELD_BACK);

        left.set(Duration.ZERO);
        assertThat(holding.heldBackFor()).isZero();
        assertThat(holding.admit(OPERATION)).isInstanceOf(Claim.class);
    }

    @Test
    void holdsNothingBackWhereAWarningDoes() {
        ForgetfulBloomFilter incomplete =
                new InterceptedFilter(filter, new ArrayDeque<>(), () -> Duration.ofMinutes(10));
        ScopeClaims warning =
                new ScopeClaims(HeapClaims.of(2), "views", incomplete, AfterPowerFailure.WARN, Duration.ofMinutes(10));

        assertThat(warning.heldBackFor()).isZero();
        assertThat(warning.admit(OPERATION)).isInstanceOf(Claim.class);
    }

    /** Runs something between a check and its response, or lacks something. */
    private static final class InterceptedFilter extends FilterDouble {

        private final ForgetfulBloomFilter filter;
        private final Deque<Runnable> meanwhile;
        private final Supplier<Duration> incomplete;

        InterceptedFilter(ForgetfulBloomFilter filter, Deque<Runnable> meanwhile, Supplier<Duration> incomplete) {
            this.filter = filter;
            this.meanwhile = meanwhile;
            this.incomplete = incomplete;
        }

        @Override
        public Duration incompleteFor() {
            return incomplete.get();
        }

        @Override
        public void put(OperationId id) {
            filter.put(id);
        }

        @Override
        public boolean mightContain(OperationId id) {
            boolean response = filter.mightContain(id);
            Runnable next = meanwhile.poll();
            if (next != null) {
                next.run();
            }
            return response;
        }

        @Override
        public FilterPlan plan() {
            return filter.plan();
        }

        @Override
        public FilterStats stats() {
            return filter.stats();
        }
    }

    @Test
    void appliesEachOperationOnceHoweverManyThreadsRetryIt() throws Exception {
        int operations = 20_000;
        int threads = 8;
        ScopeClaims wide = guard(filter, threads);
        AtomicIntegerArray applied = new AtomicIntegerArray(operations);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> retries = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Random random = new Random(thread);
                retries.add(executor.submit((Callable<?>) () -> {
                    for (int operation = 0; operation < operations; operation++) {
                        retryUntilApplied(wide, operation, applied, random);
                    }
                    return true;
                }));
            }
            for (Future<?> retry : retries) {
                retry.get();
            }
        } finally {
            executor.shutdownNow();
        }

        for (int operation = 0; operation < operations; operation++) {
            assertThat(applied.get(operation)).as("operation %d", operation).isEqualTo(1);
        }
    }

    /** All threads walk through the same operations, so that they meet; one try in five rolls back. */
    private static void retryUntilApplied(ScopeClaims guard, int operation, AtomicIntegerArray applied, Random random) {
        OperationId id = new OperationId(operation, 7);
        for (; ; ) {
            Admission admission = guard.admit(id);
            if (admission == Refusal.APPLIED) {
                return;
            }
            if (admission instanceof Claim claim) {
                if (random.nextInt(5) == 0) {
                    claim.rolledBack();
                } else {
                    applied.incrementAndGet(operation);
                    claim.applied();
                }
            }
        }
    }

    private static ScopeClaims guard(ForgetfulBloomFilter filter, int maxClaims) {
        return HeapClaims.scope(HeapClaims.of(maxClaims), "views", filter);
    }

    private Claim claim(OperationId id) {
        return (Claim) guard.admit(id);
    }
}
