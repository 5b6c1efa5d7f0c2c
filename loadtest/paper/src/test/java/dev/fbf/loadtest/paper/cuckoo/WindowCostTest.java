package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.paper.cuckoo.WindowCost.Place;
import java.time.Duration;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class WindowCostTest {

    private static final Place PLACE = new Place("test", 1_000, Duration.ofMinutes(10));

    private static final WindowCost COSTS = new WindowCost(64);

    @Test
    void theForgetfulFilterIsThatOfItsPlanAndNeedsNothingElse() {
        WindowCost.Row forgetful = COSTS.rows(PLACE, 1e-9).get(0);

        assertThat(forgetful.filter())
                .isEqualTo(new FilterSizing(1_000, PLACE.window(), 1e-9).plan().bytes() * 8.0 / 600_000);
        assertThat(forgetful.least()).isEqualTo(forgetful.filter());
    }

    @Test
    void fingerprintsAreAsLongAsTheProbabilityAsks() {
        assertThat(WindowCost.cuckooBits(1e-3)).isEqualTo(13);
        assertThat(WindowCost.cuckooBits(1e-9)).isEqualTo(33);
        assertThat(WindowCost.consistentBits(600_000, 1e-9)).isEqualTo(50);
    }

    @Test
    void aCuckooFilterIsAPowerOfTwo() {
        assertThat(WindowCost.cuckooBuckets(600_000)).isEqualTo(1 << 18);
        List<WindowCost.Row> rows = COSTS.rows(PLACE, 1e-6);

        assertThat(rows.get(2).filter()).isEqualTo(23.0 * (1 << 20) / 600_000);
        assertThat(rows.get(3).filter()).isCloseTo(23 / 0.95, Percentage.withPercentage(0.1));
    }

    @Test
    void aQueueOfIdsCostsItsIds() {
        COSTS.rows(PLACE, 1e-6).stream()
                .filter(row -> !row.name().startsWith("forgetful"))
                .forEach(row -> assertThat(row.ids()).isEqualTo(row.filter() + 128));
    }

    @Test
    void theRingOfTheOriginalParametersTakesMoreThanTheirFingerprints() {
        WindowCost.Row paper = COSTS.rows(PLACE, 1e-9).get(4);

        assertThat(paper.filter()).isGreaterThan(2 * 50 / 0.9);
    }
}
