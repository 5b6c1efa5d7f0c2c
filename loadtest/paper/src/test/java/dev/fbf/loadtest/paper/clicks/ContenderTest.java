package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.loadtest.harness.redis.RedisServer;
import dev.fbf.loadtest.harness.redis.RedisServer.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
        Errors errors = Tally.of(make(peer, AMPLE_BITS), STREAM);

        assertThat(errors.clicks()).isGreaterThan(CLICKS);
        assertThat(errors.duplicates()).isGreaterThan(CLICKS / 10);
        assertThat(errors.lostShare()).isLessThan(1e-3);
        assertThat(errors.missedShare()).isLessThan(1e-2);
    }

    @ParameterizedTest
    @EnumSource
    void keepsWithinItsMemory(Peer peer) {
        assertThat(make(peer, 24).bytes()).isBetween(DEMAND.bytes(24) * 4 / 5, DEMAND.bytes(24));
    }

    @ParameterizedTest
    @EnumSource
    void forgetsWhatIsOlderThanTwoWindows(Peer peer) {
        assertForgets(make(peer, AMPLE_BITS));
    }

    @Test
    void theExactSetForgetsToo() {
        assertForgets(CaffeineSet.unlimited(DEMAND));
    }

    private static void assertForgets(Contender contender) {
        List<OperationId> clicks = new Ids(1).next(1_000);
        OperationId[] asked = clicks.toArray(OperationId[]::new);
        boolean[] duplicate = new boolean[asked.length];
        contender.advance(0);
        contender.decide(asked, 0, asked.length, duplicate);
        assertThat(duplicate).as("new").doesNotContain(true);
        advance(contender, 1, (int) (0.95 * Demand.SLICES) + 1);
        contender.decide(asked, 0, asked.length, duplicate);
        assertThat(duplicate).as("within the window").doesNotContain(false);
        advance(contender, (int) (0.95 * Demand.SLICES) + 2, 3 * Demand.SLICES);
        contender.decide(asked, 0, asked.length, duplicate);
        assertThat(duplicate).as("three windows later").doesNotContain(true);
    }

    private static void advance(Contender contender, int from, int to) {
        for (int slice = from; slice <= to; slice++) {
            contender.advance(slice);
        }
    }

    @Test
    void theForgetfulFilterLosesAsManyClicksAsItsPlanSays() {
        FilterPlan plan = ForgetfulFilter.forBursts(DEMAND, DEMAND.bytes(16)).orElseThrow();
        Errors errors = Tally.of(new ForgetfulFilter(plan), STREAM);

        assertThat(errors.missed()).isZero();
        // on average over a period, and outside the fullest window, it is less full than the plan assumes; in a burst
        // more
        assertThat(errors.lostShare()).isBetween(plan.expectedFpp() / 4, plan.expectedFpp() * 1.5);
    }

    @Test
    void theForgetfulFilterWithGenerationsForTheBurstsLosesNoMoreClicks() {
        long byItsPlanner = Tally.of(make(Peer.FORGETFUL_STEADY, 24), STREAM).lost();

        assertThat(Tally.of(make(Peer.FORGETFUL, 24), STREAM).lost()).isLessThanOrEqualTo(byItsPlanner * 11 / 10);
    }

    @Test
    void theBestNumberOfGuavaFiltersLosesNoMoreClicksThanTwo() {
        long ofTwo = Tally.of(make(Peer.TWO_GUAVA, 24), STREAM).lost();

        assertThat(Tally.of(make(Peer.BEST_GUAVA, 24), STREAM).lost()).isLessThanOrEqualTo(ofTwo);
    }

    @Test
    void theExactSetMakesNoErrors() {
        Errors errors = Tally.of(CaffeineSet.unlimited(DEMAND), STREAM);

        assertThat(errors.lost() + errors.missed()).isZero();
    }

    @Test
    void theExactSetMissesDuplicatesWhenItsMemoryIsLimited() {
        Errors errors = Tally.of(CaffeineSet.limited(DEMAND, DEMAND.bytes(24)), STREAM);

        assertThat(errors.lost()).isZero();
        assertThat(errors.missedShare()).isBetween(0.02, 0.9);
    }

    @Test
    void growthOfTheHeapIsWhatAnArrayTakes() {
        assertThat((double) HeapGrowth.by(() -> new long[1_000_000])).isCloseTo(8e6, Percentage.withPercentage(10));
    }

    @Test
    void redisTakesAKeyOnceInAWindow(@TempDir Path directory) throws Exception {
        Optional<RedisServer> started =
                RedisServer.start("paper.clicks.redis", "redis-server", directory, 2, Persistence.NONE);
        assumeThat(started).as("redis-server is installed").isPresent();
        try (RedisServer server = started.orElseThrow()) {
            Duration window = Duration.ofSeconds(2);
            RedisKeys keys = RedisKeys.unlimited(server, window);
            OperationId[] clicks = new Ids(1).next(2_500).toArray(OperationId[]::new);
            boolean[] duplicate = new boolean[clicks.length];
            keys.decide(clicks, 0, clicks.length, duplicate);
            assertThat(duplicate).as("new").doesNotContain(true);
            keys.decide(clicks, 0, clicks.length, duplicate);
            assertThat(duplicate).as("again").doesNotContain(false);
            assertThat(keys.bytes()).isGreaterThan(50L * clicks.length);
            Thread.sleep(window.toMillis() + 100);
            keys.decide(clicks, 0, clicks.length, duplicate);
            assertThat(duplicate).as("after the window").doesNotContain(true);
        }
    }

    private static Contender make(Peer peer, double bits) {
        return peer.with(DEMAND, DEMAND.bytes(bits)).orElseThrow();
    }
}
