package dev.fbf.db.connection;

import static dev.fbf.db.FbfDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.CounterTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class FailedTransactionTest {

    private static final CounterTable COUNTERS = FbfDatabase.COUNTERS;

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Connection tx;

    @BeforeEach
    void begin() throws SQLException {
        tx = database.begin();
    }

    static Stream<Named<UnaryOperator<Connection>>> drivers() {
        return Stream.of(
                Named.of("pgjdbc", connection -> connection), Named.of("another driver", StrangeConnections::around));
    }

    /** If this fails, pgjdbc has mended its COMMIT, and nobody needs to ask any more. */
    @Test
    void pgjdbcReportsThatAFailedTransactionWasCommitted() throws SQLException {
        COUNTERS.add(tx, "views", 1);
        fail(tx);

        assertThatNoException().isThrownBy(() -> tx.commit());
        assertThat(FbfDatabase.value(COUNTERS, tx, "views")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aTransactionThatFailedCannotCommit(UnaryOperator<Connection> driver) throws SQLException {
        COUNTERS.add(tx, "views", 1);
        fail(tx);

        assertThat(canCommit(driver.apply(tx))).isFalse();
        assertThat(canCommit(driver.apply(tx))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aTransactionThatTheDriverMendsCanCommit(UnaryOperator<Connection> driver) throws SQLException {
        Connection mended = database.connect(Map.of("autosave", "always"));
        mended.setAutoCommit(false);
        COUNTERS.add(mended, "views", 1);
        fail(mended);

        assertThat(canCommit(driver.apply(mended))).isTrue();
        mended.commit();
        assertThat(FbfDatabase.value(COUNTERS, mended, "views")).hasValue(1);
    }

    @Test
    void asksPgjdbcWithoutARoundTrip() throws SQLException {
        COUNTERS.add(tx, "views", 1);
        database.lose(tx);

        assertThat(canCommit(tx)).isTrue();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> tx.commit());
    }

    @Test
    void aLostConnectionIsNotAResponse() throws SQLException {
        COUNTERS.add(tx, "views", 1);
        database.lose(tx);

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> canCommit(StrangeConnections.around(tx)));
    }

    @Test
    void asksNothingOfOtherDatabases() throws SQLException {
        assertThat(canCommit(StrangeConnections.of("H2"))).isTrue();
    }

    private static void fail(Connection connection) {
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(connection, "SELECT 1 / 0"));
    }

    private static boolean canCommit(Connection connection) throws SQLException {
        return new TransactionConnection(connection).canCommit();
    }
}
