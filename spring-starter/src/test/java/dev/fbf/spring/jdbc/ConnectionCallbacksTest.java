package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Guarded methods that are called while code of the same transaction holds its connection. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class ConnectionCallbacksTest {

    private static final String THREE_ROWS = "SELECT n FROM generate_series(1, 3) AS n";

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private CountedTable counted;
    private Counter counter;
    private DataSource dataSource;
    private JdbcTemplate jdbc;

    @SuppressWarnings("UnusedVariable") // the application has it
    ConnectionCallbacksTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.startForAll(dataSource, directory, "fbf.mode=" + mode);
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        counter = app.counter;
        this.dataSource = dataSource;
        jdbc = new JdbcTemplate(dataSource);
    }

    /** Each test counts three operations. */
    @AfterEach
    void showThatEachIsAppliedOnce() {
        assertThat(counted.value()).isEqualTo(3);
        for (int n = 1; n <= 3; n++) {
            assertThat(counter.count("row " + n)).isEqualTo("counted before: row " + n);
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void aRowCallbackCounts() {
        app.transaction.executeWithoutResult(status -> jdbc.query(THREE_ROWS, row -> {
            count(row.getInt(1));
        }));
    }

    @Test
    void aStreamOfRowsIsCounted() {
        app.transaction.executeWithoutResult(status -> {
            try (Stream<Integer> rows = jdbc.queryForStream(THREE_ROWS, (row, number) -> row.getInt(1))) {
                rows.forEach(this::count);
            }
        });
    }

    @Test
    void aStreamOfTheClientIsCounted() {
        app.transaction.executeWithoutResult(status -> {
            try (Stream<Integer> rows = JdbcClient.create(dataSource).sql(THREE_ROWS).query(Integer.class).stream()) {
                rows.forEach(this::count);
            }
        });
    }

    @Test
    void aGuardedMethodStreamsItsOwnRows() throws Exception {
        counter.countAnd("row 1", () -> {
            try (Stream<Integer> rows = jdbc.queryForStream(THREE_ROWS, (row, number) -> row.getInt(1))) {
                rows.skip(1).forEach(this::count);
            }
        });
    }

    @Test
    void aConnectionCallbackCounts() {
        app.transaction.executeWithoutResult(status -> jdbc.execute((ConnectionCallback<Integer>) connection -> {
            count(1);
            count(2);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            count(3);
            return 0;
        }));
    }

    @Test
    void aStatementKnowsTheConnectionOfItsTransaction() {
        app.transaction.executeWithoutResult(status -> {
            count(1);
            Connection ofTransaction = DataSourceUtils.getConnection(dataSource);
            jdbc.execute("SELECT 1", (PreparedStatementCallback<Integer>) first -> {
                assertThat(first.getConnection()).isSameAs(ofTransaction);
                count(2);
                try (PreparedStatement second = first.getConnection().prepareStatement("SELECT 1");
                        Statement third = second.getConnection().createStatement()) {
                    assertThat(second.getConnection()).isSameAs(ofTransaction);
                    assertThat(third.getConnection()).isSameAs(ofTransaction);
                }
                return 0;
            });
            count(3);
        });
    }

    private void count(int row) {
        assertThat(counter.count("row " + row)).isEqualTo("counted");
    }
}
