package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClickStreamTest {

    private static final int CLICKS = 20_000;
    private static final int WINDOWS = 3;

    private final ClickStream stream = ClickStream.generate(CLICKS, WINDOWS, 0.4, 1);

    @Test
    void knowsWhichArrivalsAreDuplicates() {
        Map<OperationId, Integer> slices = new HashMap<>();
        for (int slice = 0; slice < stream.slices(); slice++) {
            OperationId[] ids = stream.ids(slice);
            for (int i = 0; i < ids.length; i++) {
                int arrival = stream.begin(slice) + i;
                Integer first = slices.putIfAbsent(ids[i], slice);

                assertThat(stream.isDuplicate(arrival)).isEqualTo(first != null);
                assertThat(first == null ? 0 : slice - first).isLessThanOrEqualTo((int) (0.95 * Demand.SLICES) + 1);
            }
        }
        assertThat(stream.begin(stream.slices())).isGreaterThan(slices.size());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.4})
    void hasAboutTheShareOfDuplicates(double share) {
        assertThat(ClickStream.generate(CLICKS, WINDOWS, share, 1).shareOfDuplicates())
                .isCloseTo(share, Percentage.withPercentage(10));
    }

    @Test
    void isTheSameForTheSameSeed() {
        ClickStream again = ClickStream.generate(CLICKS, WINDOWS, 0.4, 1);
        ClickStream other = ClickStream.generate(CLICKS, WINDOWS, 0.4, 2);

        for (int slice = 0; slice < stream.slices(); slice++) {
            assertThat(again.ids(slice)).isEqualTo(stream.ids(slice));
        }
        assertThat(again.begin(again.slices())).isEqualTo(stream.begin(stream.slices()));
        assertThat(other.ids(100)).isNotEqualTo(stream.ids(100));
    }

    @Test
    void statesTheClicksOfTheFullestWindow() {
        assertThat(stream.demand().clicks()).isBetween((long) (0.98 * CLICKS), (long) (1.35 * CLICKS));
    }

    @Test
    void hasBursts() {
        Bursts bursts = new Bursts(new SplittableRandom(1));
        double sum = 0;
        int slices = 1_000_000;
        int inBurst = 0;
        for (int slice = 0; slice < slices; slice++) {
            sum += bursts.next();
            inBurst += bursts.isBurst() ? 1 : 0;
        }

        assertThat(sum / slices).isCloseTo(1, Offset.offset(0.03));
        assertThat((double) inBurst / slices).isCloseTo(8.0 / 120, Percentage.withPercentage(10));
    }
}
