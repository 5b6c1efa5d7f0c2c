package dev.fbf.db.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class OwnTransactionTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    /** Otherwise the driver reports an I/O error, and a pool a broken connection with its stack trace. */
    @Test
    void aLockIsReportedByTheServerBeforeTheDriverTakesItForABrokenNetwork() throws SQLException {
        Connection holder = database.begin();
        FbfDatabase.execute(holder, "LOCK TABLE fbf_ledger IN ACCESS EXCLUSIVE MODE");
        Connection connection = database.connect();
        connection.setNetworkTimeout(Runnable::run, 4_000);

        OwnTransaction waiting = OwnTransaction.beginReadCommitted(connection);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> FbfDatabase.query(connection, "SELECT count(*) FROM fbf_ledger"))
                .matches(SqlFailures::isOfLocks, "is of a lock");
        waiting.close();

        assertThat(connection.isClosed()).isFalse();
    }
}
