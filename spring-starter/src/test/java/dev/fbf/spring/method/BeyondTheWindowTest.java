package dev.fbf.spring.method;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.operation.ClockOfTheTest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that carry a time, while a clock moves towards the end of the window and past it. */
class BeyondTheWindowTest extends ProcessesTest {

    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration SKEW = Duration.ofMinutes(1);

    // a key tells no more than milliseconds
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private volatile Instant now = start;
    private int applied = 1;

    @AfterEach
    void showThatNothingWasAppliedTwice() {
        assertThat(counted.value()).isEqualTo(applied);
    }

    @ParameterizedTest
    @EnumSource
    void aClockThatIsSetRefusesNoneThatIsKnownAndAppliesNoneThatIsNot(Mode mode) {
        try (CountingApp app = start(mode, "node")) {
            String key = TimedKeys.uuid(start);
            assertThat(app.counter.count(key)).isEqualTo("counted");

            for (Duration set : List.of(Duration.ofDays(1), Duration.ofDays(-1))) {
                now = start.plus(set);
                assertThat(app.counter.count(key)).isEqualTo("counted before: " + key);
                app.transaction.executeWithoutResult(
                        status -> assertThat(app.counter.count(key)).isEqualTo("counted before: " + key));
                assertThatExceptionOfType(OperationRefusedException.class)
                        .isThrownBy(() -> app.counter.count(TimedKeys.uuid(start)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOperationThatMayHaveBeenForgottenIsNotApplied(Mode mode) {
        try (CountingApp app = start(mode, "node")) {
            String key = TimedKeys.ulid(start);

            now = start.plus(WINDOW).minus(SKEW).plusMillis(1);
            assertTooOld(app, key);
            assertThat(counted.value()).isZero();

            // it was refused only, and left nothing behind
            now = start.plus(WINDOW).minus(SKEW);
            assertThat(app.counter.count(key)).isEqualTo("counted");
        }
    }

    @Test
    void whatAnotherNodeAppliedIsAnsweredUntilTheEndOfTheWindowAndWhateverTheClockIsSetTo() {
        try (CountingApp first = start(Mode.LEDGER, "first");
                CountingApp second = start(Mode.LEDGER, "second")) {
            List<Duration> clocks = List.of(WINDOW.minusMillis(1), Duration.ofDays(1), Duration.ofDays(-1));
            List<String> keys = Stream.generate(() -> TimedKeys.uuid(start))
                    .limit(clocks.size() * 3L)
                    .toList();
            IntStream.range(0, keys.size()).forEach(i -> apply(first, i % 3, keys.get(i), "counted"));
            applied = keys.size();

            for (int i = 0; i < keys.size(); i++) {
                now = start.plus(clocks.get(i / 3));
                apply(second, i % 3, keys.get(i), "counted before: " + keys.get(i));
            }
        }
    }

    private static void apply(CountingApp node, int way, String key, String result) {
        switch (way) {
            case 0 -> assertThat(node.counter.count(key)).isEqualTo(result);
            case 1 -> assertThat(node.counter.countInSqlOnly(key)).isEqualTo(result);
            default ->
                node.transaction.executeWithoutResult(
                        status -> assertThat(node.counter.count(key)).isEqualTo(result));
        }
    }

    private static void assertTooOld(CountingApp app, String key) {
        assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> app.counter.count(key));
    }

    private CountingApp start(Mode mode, String node) {
        return CountingApp.start(directory.resolve(node), new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, dataSource);
            ClockOfTheTest.addTo(context, () -> now);
        });
    }
}
