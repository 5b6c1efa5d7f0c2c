package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which groups have surely expired. */
class FloorTest {

    private static final Duration KEPT = Duration.ofSeconds(64);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Floor floor = new Floor(KEPT);

    @Test
    void aGroupHasExpiredOnceItIsOlderThanTheTimeThatItIsKept() {
        floor.begin(3, 10, 0);
        for (int second = 1; second <= 64; second++) {
            floor.advance(10 + second, second * SECOND);
            assertThat(floor.get()).isEqualTo(3);
        }

        floor.advance(75, 65 * SECOND);
        assertThat(floor.get()).as("as many as there were a window ago").isEqualTo(10);

        floor.advance(76, 66 * SECOND);
        assertThat(floor.get()).isEqualTo(11);
    }

    /** While windows are increased node by node. */
    @Test
    void aGroupOfANodeWithALongerWindowIsNotPassedOverBeforeItsTime() {
        floor.begin(0, 0, 0);
        floor.advance(1, SECOND);
        floor.keep(KEPT.multipliedBy(2));
        floor.keep(KEPT);

        floor.advance(2, 66 * SECOND);
        assertThat(floor.get()).isZero();

        floor.advance(3, 130 * SECOND);
        assertThat(floor.get()).isEqualTo(1);
    }

    @Test
    void groupsThatComeTogetherAreOneMark() {
        floor.begin(0, 0, 0);
        for (int group = 1; group <= 1_000; group++) {
            floor.advance(group, SECOND * group / 1_001);
        }
        floor.advance(1_001, SECOND);

        floor.advance(1_002, 65 * SECOND + 1);
        assertThat(floor.get())
                .as("none of those within the last second before")
                .isEqualTo(1_001);
    }
}
