package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All contenders are asked alike. */
class ContenderTest {

    private static final int CLICKS = 30_000;
    private static final double AMPLE_BITS = 128;

    private static final ClickStream STREAM = ClickStream.generate(CLICKS, 3, 0.1, 1);
    private static final Demand DEMAND = STREAM.demand();

    @ParameterizedTest
    @EnumSource
    void makesNearlyNoErrorsWithAmpleMemory(Peer peer) {
        Trial errors = Trial.of(peer, make(peer, ample(peer)), STREAM);

        assertThat(errors.clicks()).isGreaterThan(CLICKS);
        assertThat(errors.duplicates()).isGreaterThan(CLICKS / 10);
        assertThat(lostShare(errors)).isLessThan(1e-3);
        assertThat(missedShare(errors)).isLessThan(1e-2);
    }

    @ParameterizedTest
    @EnumSource
    void keepsWithinItsMemory(Peer peer) {
        assertThat(make(peer, 24).bytes()).isBetween(DEMAND.bytes(24) * 4 / 5, DEMAND.bytes(24));
    }

    @ParameterizedTest
    @EnumSource
    void forgetsWhatIsOlderThanTwoWindows(Peer peer) {
        Contender contender = make(peer, ample(peer));
        OperationId[] asked = new Ids(1).next(1_000).toArray(OperationId[]::new);
        contender.advance(0);
        assertThat(contender.decide(asked)).as("new").doesNotContain(true);
        advance(contender, 1, (int) (0.95 * Demand.SLICES) + 1);
        assertThat(contender.decide(asked)).as("within the window").doesNotContain(false);
        advance(contender, (int) (0.95 * Demand.SLICES) + 2, 3 * Demand.SLICES);
        assertThat(contender.decide(asked)).as("three windows later").doesNotContain(true);
    }

    private static void advance(Contender contender, int from, int to) {
        for (int slice = from; slice <= to; slice++) {
            contender.advance(slice);
        }
    }

    @Test
    void theForgetfulFilterLosesAsManyClicksAsItsPlanSays() {
        FilterPlan plan = ForgetfulFilter.forBursts(DEMAND, DEMAND.bytes(16)).orElseThrow();
        Trial errors = Trial.of(Peer.FORGETFUL, new ForgetfulFilter(plan), STREAM);

        assertThat(errors.missed()).isZero();
        // on average over a period, and outside the fullest window, it is less full than the plan assumes; in a burst
        // more
        assertThat(lostShare(errors)).isBetween(plan.expectedFpp() / 4, plan.expectedFpp() * 1.5);
    }

    @Test
    void theForgetfulFilterWithGenerationsForTheBurstsLosesNoMoreClicks() {
        long byItsPlanner = trial(Peer.FORGETFUL_STEADY, 24).lost();

        assertThat(trial(Peer.FORGETFUL, 24).lost()).isLessThanOrEqualTo(byItsPlanner * 11 / 10);
    }

    @Test
    void theBestNumberOfGuavaFiltersLosesNoMoreClicksThanTwo() {
        long ofTwo = trial(Peer.TWO_GUAVA, 24).lost();

        assertThat(trial(Peer.BEST_GUAVA, 24).lost()).isLessThanOrEqualTo(ofTwo);
    }

    @Test
    void theExactSetMakesNoErrorsWhenItHasRoomForAllClicks() {
        Trial errors = trial(Peer.CAFFEINE, ample(Peer.CAFFEINE));

        assertThat(errors.lost() + errors.missed()).isZero();
    }

    @Test
    void theExactSetMissesDuplicatesWhenItsMemoryIsLimited() {
        Trial errors = trial(Peer.CAFFEINE, 24);

        assertThat(errors.lost()).isZero();
        assertThat(missedShare(errors)).isBetween(0.02, 0.9);
    }

    @Test
    void growthOfTheHeapIsWhatAnArrayTakes() {
        assertThat((double) HeapGrowth.by(() -> new long[1_000_000])).isCloseTo(8e6, Percentage.withPercentage(10));
    }

    private static double ample(Peer peer) {
        return peer == Peer.CAFFEINE ? Double.POSITIVE_INFINITY : AMPLE_BITS;
    }

    private static double lostShare(Trial trial) {
        return (double) trial.lost() / trial.clicks();
    }

    private static double missedShare(Trial trial) {
        return (double) trial.missed() / trial.duplicates();
    }

    private static Trial trial(Peer peer, double bits) {
        return Trial.of(peer, STREAM, bits).orElseThrow();
    }

    private static Contender make(Peer peer, double bits) {
        return peer.with(DEMAND, DEMAND.bytes(bits)).orElseThrow();
    }
}
