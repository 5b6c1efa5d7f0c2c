package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.FilterDouble;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.filter.TinyFilter;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeClaimsTest {

    private static final OperationId OPERATION = new OperationId(1, 1);

    private final InterceptedFilter filter = new InterceptedFilter();
    private final ScopeClaims scope = scope(filter, 2);

    /**
     * Before the operation: a retry that comes in between is not taken for another request. After it: the filter does not forget the request
     * first.
     */
    @Test
    void theFilterGetsTheRequestBeforeAndAfterTheOperation() {
        RecordedFilter recorded = new RecordedFilter();
        Claim claim = (Claim) scope(recorded, 1).admit(OPERATION, 7L);

        claim.applied();

        String request = "request 7 of " + OPERATION;
        assertThat(recorded.calls).containsExactly(request, "operation " + OPERATION, request);
    }

    /** As one between its commit and its end. */
    @Test
    void refusesAnOperationThatTheFilterKnowsThoughItIsHeld() {
        claim(OPERATION);
        filter.put(OPERATION);

        assertThat(scope.admit(OPERATION, null)).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void refusesToEndAClaimTwice() {
        Claim claim = claim(OPERATION);
        claim.applied();

        assertThat(claim.isHeld()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(claim::free)
                .withMessage("claim=" + OPERATION + ": is ENDED, not HELD");
        assertThat(scope.admit(OPERATION, null)).isEqualTo(Refusal.APPLIED);
    }

    /** The JVM reports a fault of a file that the application itself has mapped late, in the code that the thread runs then. */
    @Test
    void isNotStoppedByAnErrorThatIsNotOfItsFiles() {
        RecordedClaims claims = HeapClaims.of(2);
        Faulty faulty = new Faulty(new InternalError("a fault occurred in an unsafe memory access operation"));

        assertThat(HeapClaims.scope(claims, "views", faulty).admit(OPERATION, null))
                .isInstanceOf(Claim.class);

        assertThat(claims.failure()).isNull();
    }

    @Test
    void isStoppedByAnErrorThatNamesItsFile() {
        RecordedClaims claims = HeapClaims.of(2);
        Faulty faulty = new Faulty(MappedFault.of("views~1.fbf", "a store had no effect"));
        ScopeClaims views = HeapClaims.scope(claims, "views", faulty);

        assertThat(views.admit(OPERATION, null)).isEqualTo(Refusal.FAILED);

        assertThat(claims.failure()).hasMessageContaining("views~1.fbf: a store had no effect");
        assertThat(views.admit(OPERATION, null)).isEqualTo(Refusal.FAILED);
    }

    /** Its first reading meets an error. */
    private static final class Faulty extends RecordedFilter {

        private final InternalError error;
        private boolean met;

        Faulty(InternalError error) {
            this.error = error;
        }

        @Override
        public boolean mightContain(OperationId id) {
            if (!met) {
                met = true;
                throw error;
            }
            return false;
        }
    }

    @Test
    void admitsNoRequestThatAskedTheFilterBeforeAnotherAppliedTheOperation() {
        List<Admission> admissions = new ArrayList<>();
        ScopeClaims busy = scope(filter, 2);
        // while the first request has asked the filter, a second one comes and is served to its end
        filter.afterNextCheck = () -> admissions.add(admitAndApply(busy));

        admissions.add(admitAndApply(busy));

        assertThat(admissions).hasSize(2).filteredOn(Claim.class::isInstance).hasSize(1);
    }

    private static Admission admitAndApply(ScopeClaims scope) {
        Admission admission = scope.admit(OPERATION, null);
        if (admission instanceof Claim claim) {
            claim.applied();
        }
        return admission;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void holdsBackWhatComesUntilItsFilterIsComplete(boolean holdsBack) {
        ScopeClaims views = new ScopeClaims(HeapClaims.of(2), "views", filter, holdsBack, Duration.ofMinutes(10));
        for (Duration left : List.of(Duration.ofMinutes(10), Duration.ofMillis(1), Duration.ZERO)) {
            filter.incompleteFor = left;
            assertThat(views.heldBackFor()).isEqualTo(holdsBack ? left : Duration.ZERO);
            Admission admission = views.admit(OPERATION, null);
            if (holdsBack && left.toMillis() > 0) {
                assertThat(admission).isEqualTo(Refusal.HELD_BACK);
            } else {
                assertThat(admission).isInstanceOfSatisfying(Claim.class, Claim::free);
            }
        }
    }

    /** Does something between a check and its response, or lacks something. */
    private static final class InterceptedFilter extends FilterDouble {

        private final ForgetfulBloomFilter filter = new TinyFilter(Rule.SINGLE);
        private Runnable afterNextCheck = () -> {};
        private Duration incompleteFor = Duration.ZERO;

        @Override
        public Duration incompleteFor() {
            return incompleteFor;
        }

        @Override
        public void put(OperationId id) {
            filter.put(id);
        }

        @Override
        public boolean mightContain(OperationId id) {
            boolean response = filter.mightContain(id);
            Runnable next = afterNextCheck;
            afterNextCheck = () -> {};
            next.run();
            return response;
        }
    }

    private static ScopeClaims scope(ForgetfulBloomFilter filter, int maxClaims) {
        return HeapClaims.scope(HeapClaims.of(maxClaims), "views", filter);
    }

    private Claim claim(OperationId id) {
        return (Claim) scope.admit(id, null);
    }
}
