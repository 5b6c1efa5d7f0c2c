package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.TimedKeys;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A retry window of a year in ledger mode. */
class LongWindowTest extends ProcessesTest {

    private static final Duration YEAR = Duration.ofDays(365);

    private JdbcClient jdbc;
    private CountingApp app;

    @BeforeEach
    void prepare() {
        jdbc = JdbcClient.create(dataSource);
        app = startForAYear("one");
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void aRetryAfterElevenMonthsIsOneAlsoWhereTheFilterHasForgottenIt() {
        assertThat(app.counter.count("late")).isEqualTo("counted");
        assertThat(app.counter.countInSqlOnly("sql")).isEqualTo("counted");
        letPass(Duration.ofDays(334));
        forget();

        assertThat(app.counter.count("late")).isEqualTo("counted before: late");
        assertThat(app.counter.countInSqlOnly("sql")).isEqualTo("counted before: sql");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aGroupOfIncrementsIsRememberedForAYear() {
        IdempotencyKey key = IdempotencyKey.of("late");
        long value = app.bean(SqlCounters.class).increment(key, "year", 1);
        letPass(Duration.ofDays(364));
        forget();

        assertThat(app.bean(SqlCounters.class).increment(key, "year", 1)).isEqualTo(value);
    }

    @Test
    void aKeyTellsItsTimeForAYear() {
        String young = TimedKeys.uuid(Instant.now().minus(Duration.ofDays(364)));
        String old = TimedKeys.uuid(Instant.now().minus(Duration.ofDays(366)));

        assertThat(app.counter.count(young)).isEqualTo("counted");
        assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> app.counter.count(old));
    }

    private CountingApp startForAYear(String node) {
        return start(node, "fbf.mode=ledger", "fbf.retry-window=" + YEAR.toDays() + "d");
    }

    /** Time passes in the ledger: all transactions ended so much earlier. */
    private void letPass(Duration time) {
        jdbc.sql("DELETE FROM fbf_horizon WHERE transactions_before > '0'").update();
        jdbc.sql(
                        "INSERT INTO fbf_horizon SELECT pg_current_xact_id(), ended_by - :days * interval '1 day' FROM fbf_horizon")
                .param("days", time.toDays())
                .update();
        assertThat(jdbc.sql("SELECT count(*) FROM fbf_ledger WHERE retention > :seconds")
                        .param("seconds", time.toSeconds())
                        .query(Long.class)
                        .single())
                .as("operations whose window has not ended")
                .isPositive();
    }

    /** As the filter does after a day. */
    private void forget() {
        app.close();
        app = startForAYear("empty");
    }
}
