package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private static final Duration LENGTH = Duration.ofMinutes(1);

    @Test
    void isTheSameForTheSameSeed() {
        assertThat(schedule(1, 30).of(Fault.Lane.COMMIT))
                .isEqualTo(schedule(1, 30).of(Fault.Lane.COMMIT));
        assertThat(schedule(1, 30).of(Fault.Lane.COMMIT))
                .isNotEqualTo(schedule(2, 30).of(Fault.Lane.COMMIT));
    }

    @Test
    void hasAsManyFaultsAsAskedForEachOfThemOnceAtLeastInTheirOrder() {
        List<Schedule.Event> events = schedule(3, 30).of(Fault.Lane.COMMIT);
        assertThat(events).hasSize(30).isSortedAccordingTo((a, b) -> Long.compare(a.millis(), b.millis()));
        assertThat(events).allMatch(event -> event.millis() >= 0 && event.millis() < LENGTH.toMillis());
        assertThat(events).extracting(Schedule.Event::fault).contains(Fault.CUT_BEFORE_COMMIT, Fault.HOLD_COMMIT);
    }

    @Test
    void leavesOutWhatMustNotHappen() {
        assertThat(schedule(1, 100).of(Fault.Lane.APP))
                .hasSize(100)
                .extracting(Schedule.Event::fault)
                .doesNotContain(Fault.KILL_AT_STEP);
    }

    @Test
    void hasNoneInALaneWithoutACount() {
        assertThat(schedule(1, 10).of(Fault.Lane.CLIENT_NETWORK)).isEmpty();
    }

    private static Schedule schedule(long seed, int count) {
        return new Schedule(
                seed, Map.of(Fault.Lane.COMMIT, count, Fault.Lane.APP, count), LENGTH, List.of(Fault.KILL_AT_STEP));
    }
}
