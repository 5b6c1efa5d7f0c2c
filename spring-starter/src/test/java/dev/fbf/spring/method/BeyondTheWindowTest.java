package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.Scopes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that carry a time, while a clock moves towards the end of the window and past it. */
@ExtendWith(PostgresExtension.class)
class BeyondTheWindowTest {

    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration SKEW = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    // a key tells no more than milliseconds
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private volatile Instant now = start;
    private DataSource database;
    private CountedTable counted;

    @BeforeEach
    void makeTable(DataSource dataSource) {
        database = dataSource;
        counted = CountedTable.makeIn(dataSource);
    }

    @AfterEach
    void showThatNothingWasAppliedTwice() {
        assertThat(counted.value()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRetryIsAnsweredAsLongAsItsOperationIsKnown(Mode mode) {
        try (CountingApp app = start(mode, "node")) {
            String key = TimedKeys.uuid(start);
            assertThat(app.counter.count(key)).isEqualTo("counted");

            now = start.plus(WINDOW).minusMillis(1);
            assertThat(app.counter.count(key)).isEqualTo("counted before: " + key);

            now = start.plus(WINDOW).plusMillis(1);
            assertThat(app.counter.count(key)).isEqualTo("counted before: " + key);
        }
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

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(names = "LEDGER")
    void aClockThatIsSetRefusesNoneThatAnotherNodeHasApplied(Mode mode) {
        try (CountingApp first = start(mode, "first");
                CountingApp second = start(mode, "second")) {
            String key = TimedKeys.uuid(start);
            IdempotencyKey ofGroup = IdempotencyKey.of(TimedKeys.uuid(start));
            assertThat(first.counter.count(key)).isEqualTo("counted");
            first.bean(SqlCounters.class).increment(ofGroup, "views", 1);

            for (Duration set : List.of(Duration.ofDays(1), Duration.ofDays(-1))) {
                now = start.plus(set);
                assertThat(second.counter.count(key)).isEqualTo("counted before: " + key);
                assertThat(second.bean(SqlCounters.class).increment(ofGroup, "views", 1))
                        .isEqualTo(1);
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

    @ParameterizedTest
    @EnumSource(names = "LEDGER")
    void whatAnotherNodeAppliedIsAnsweredUntilTheEndOfTheWindow(Mode mode) {
        try (CountingApp first = start(mode, "first");
                CountingApp second = start(mode, "second")) {
            String key = TimedKeys.uuid(start);
            assertThat(first.counter.count(key)).isEqualTo("counted");

            now = start.plus(WINDOW).minusMillis(1);
            assertThat(second.counter.count(key)).isEqualTo("counted before: " + key);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "LEDGER")
    void aClockThatIsSetRefusesNoneThatAnotherNodeHasAppliedWithItsOwnSql(Mode mode) {
        try (CountingApp first = start(mode, "first");
                CountingApp second = start(mode, "second")) {
            String key = TimedKeys.uuid(start);
            assertThat(first.counter.countInSqlOnly(key)).isEqualTo("counted");

            now = start.plus(Duration.ofDays(1));
            assertThat(second.counter.countInSqlOnly(key)).isEqualTo("counted before: " + key);
        }
    }

    /** In the ledger too, where entering the operation is what asks for it. */
    @ParameterizedTest
    @EnumSource
    void oneThatMayHaveBeenForgottenLeavesTheCallersTransactionAsItIs(Mode mode) {
        try (CountingApp app = start(mode, "node")) {
            String old = TimedKeys.uuid(start);

            now = start.plus(WINDOW).minus(SKEW).plusMillis(1);
            app.transaction.executeWithoutResult(status -> {
                assertThat(app.counter.count(TimedKeys.uuid(now))).isEqualTo("counted");
                assertTooOld(app, old);
                assertThat(status.isRollbackOnly()).isFalse();
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = "LEDGER")
    void whatAnotherNodeAppliedIsADuplicateInTheCallersTransactionUntilTheEndOfTheWindow(Mode mode) {
        try (CountingApp first = start(mode, "first");
                CountingApp second = start(mode, "second")) {
            String key = TimedKeys.uuid(start);
            assertThat(first.counter.count(key)).isEqualTo("counted");

            now = start.plus(WINDOW).minusMillis(1);
            second.transaction.executeWithoutResult(
                    status -> assertThat(second.counter.count(key)).isEqualTo("counted before: " + key));
        }
    }

    private static void assertTooOld(CountingApp app, String key) {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> app.counter.count(key))
                .matches(e -> e.reason() == OperationOutcome.KEY_TOO_OLD);
    }

    private CountingApp start(Mode mode, String node) {
        return CountingApp.start(directory.resolve(node), new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, database);
            context.registerBean(
                    Scopes.class,
                    () -> new Scopes(
                            context.getBean(FbfProperties.class), () -> now, context.getBean(Declarations.class)));
        });
    }
}
