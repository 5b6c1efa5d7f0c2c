package dev.fbf.spring.jdbc;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.jdbc.FbfAutoConfiguration.NodeRenewal;
import dev.fbf.spring.operation.ClockOfTheTest;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Keys that carry a time, while the clocks of the nodes' hosts differ. */
@Tag("slow")
class ClocksOfHostsTest extends ProcessesTest {

    private static final Duration WINDOW = Duration.ofMinutes(3);
    private static final Duration RIGHT = Duration.ZERO;

    private final Instant start = Instant.now();
    private volatile Duration passed = Duration.ZERO;

    @Test
    void aNodeThatIsBehindAppliesNothingAgainAndSaysWhatIsWrong() {
        try (CountingApp right = start(RIGHT);
                CountingApp behind = start(Duration.ofMinutes(-2))) {
            String key = TimedKeys.uuid(start);
            assertThat(right.counter.count(key)).isEqualTo("counted");
            assertThat(behind.counter.count(key)).isEqualTo("counted before: " + key);

            forgetAll();
            assertWrong(behind, key);
            assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> right.counter.count(key));

            assertThat(behind.status.obstacles())
                    .singleElement()
                    .asString()
                    .contains("carry a time are refused", "120 s behind", "Set the clock of this host (host");
            assertThat(right.status.obstacles()).isEmpty();
            assertThat(behind.counter.count(UUID.randomUUID().toString())).isEqualTo("counted");
            assertThat(counted.value()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clocksThatDifferWithinTheSkewLetNothingBeAppliedAgain(boolean together) {
        String key = TimedKeys.uuid(start.plusSeconds(15));
        CountingApp right = start(RIGHT);
        try {
            assertThat(right.counter.count(key)).isEqualTo("counted");
            if (!together) {
                right.close();
            }
            try (CountingApp behind = start(Duration.ofSeconds(-15))) {
                forgetAll();
                assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> behind.counter.count(key));
                assertThat(counted.value()).isEqualTo(1);
                assertThat(behind.counter.count(TimedKeys.uuid(start.plus(passed))))
                        .isEqualTo("counted");
            }
        } finally {
            right.close();
        }
    }

    /** What it applied would be young enough for the others after the window. */
    @Test
    void aNodeThatIsAheadWithinTheSkewRefusesKeysThatAreFromTheFutureForTheDatabase() {
        try (CountingApp ahead = start(Duration.ofSeconds(15))) {
            assertKeyRefused(
                    OperationOutcome.KEY_TIME, () -> ahead.counter.count(TimedKeys.uuid(start.plusSeconds(30))));
            assertThat(ahead.counter.count(TimedKeys.uuid(start.plusSeconds(15))))
                    .isEqualTo("counted");
        }
    }

    @Test
    void aClockThatIsSetWhileTheNodeRunsLetsNothingBeAppliedAgain() {
        AtomicReference<Duration> shift = new AtomicReference<>(RIGHT);
        try (CountingApp right = start(RIGHT);
                CountingApp set = start(shift)) {
            String key = TimedKeys.uuid(start);
            assertThat(right.counter.count(key)).isEqualTo("counted");

            forgetAll();
            shift.set(Duration.ofMinutes(-2));
            assertUnavailable(() -> set.counter.count(key));
            assertThat(counted.value()).isEqualTo(1);
        }
    }

    @Test
    void aClockOfTheDatabaseThatIsWrongRefusesNothing() {
        Duration ahead = Duration.ofMinutes(5);
        try (CountingApp one = start(ahead);
                CountingApp other = start(ahead.plusSeconds(1))) {
            assertThat(one.counter.count(TimedKeys.uuid(start.plus(ahead)))).isEqualTo("counted");
            assertThat(other.counter.count(TimedKeys.uuid(start.plus(ahead)))).isEqualTo("counted");
        }
    }

    private static void assertWrong(CountingApp app, String key) {
        assertUnavailable(() -> app.counter.count(key))
                .withMessageContaining("the clock of this host is 120 s behind the database's")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(OperationOutcome.HELD_BACK));
    }

    /** The window has passed, and the ledger's rows are purged. */
    private void forgetAll() {
        passed = WINDOW.plusSeconds(1);
        JdbcClient.create(dataSource).sql("DELETE FROM fbf_ledger").update();
    }

    private CountingApp start(Duration shift, String... properties) {
        return start(new AtomicReference<>(shift), properties);
    }

    private CountingApp start(AtomicReference<Duration> shift, String... properties) {
        String[] all = {"fbf.mode=ledger", "fbf.retry-window=" + WINDOW.toSeconds() + "s", "fbf.key.max-skew=18s"};
        return CountingApp.start(directory.resolve(UUID.randomUUID().toString()), all, context -> {
            TestPropertyValues.of(properties).applyTo(context);
            CountingApp.addTo(context, dataSource);
            ClockOfTheTest.addTo(context, () -> start.plus(shift.get()).plus(passed));
            context.registerBean(
                    NodeRenewal.class,
                    () -> new NodeRenewal(
                            Duration.ofMillis(100), () -> Instant.now().plus(shift.get())));
        });
    }
}
