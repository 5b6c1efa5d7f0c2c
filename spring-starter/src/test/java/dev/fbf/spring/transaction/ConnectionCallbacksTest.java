package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Guarded methods that are called while code of the same transaction holds its connection. */
@GuardedApp
class ConnectionCallbacksTest extends CountingAppTest {

    private static final String THREE_ROWS = "SELECT n FROM generate_series(1, 3) AS n";

    private final JdbcTemplate template = new JdbcTemplate(dataSource);

    /** Each test counts three operations. */
    @AfterEach
    void showThatEachIsAppliedOnce() {
        assertThat(counted.value()).isEqualTo(3);
        for (int n = 1; n <= 3; n++) {
            assertThat(counter.count("row " + n)).isEqualTo("counted before: row " + n);
        }
    }

    @Test
    void aRowCallbackCounts() {
        app.transaction.executeWithoutResult(status -> template.query(THREE_ROWS, row -> {
            count(row.getInt(1));
        }));
    }

    @Test
    void aStreamOfRowsIsCounted() {
        app.transaction.executeWithoutResult(status -> {
            try (Stream<Integer> rows = template.queryForStream(THREE_ROWS, (row, number) -> row.getInt(1))) {
                rows.forEach(this::count);
            }
        });
    }

    @Test
    void aGuardedMethodStreamsItsOwnRows() throws Exception {
        counter.countAnd("row 1", () -> {
            try (Stream<Integer> rows = template.queryForStream(THREE_ROWS, (row, number) -> row.getInt(1))) {
                rows.skip(1).forEach(this::count);
            }
        });
    }

    @Test
    void aConnectionCallbackCounts() {
        app.transaction.executeWithoutResult(status -> template.execute((ConnectionCallback<Integer>) connection -> {
            count(1);
            count(2);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            count(3);
            return 0;
        }));
    }

    private void count(int row) {
        assertThat(counter.count("row " + row)).isEqualTo("counted");
    }
}
