package dev.fbf.db.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OneConnectionTest {

    @RegisterExtension
    private static final FbfDatabase DATABASE = new FbfDatabase();

    @Test
    void aRollbackReturnsToTheLastCommitOfATransactionThatStaysOpen() throws SQLException {
        Connection owners = DATABASE.begin();
        try (Connection lent = OneConnection.over(owners).getConnection()) {
            FbfDatabase.execute(lent, "INSERT INTO fbf_counter VALUES ('a', 1)");
            lent.commit();
            FbfDatabase.execute(lent, "INSERT INTO fbf_counter VALUES ('b', 1)");
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> FbfDatabase.execute(lent, "SELECT 1/0"));
            lent.rollback();
            lent.setAutoCommit(true);
        }

        assertThat(counters(owners)).isEqualTo("a");
        assertThat(counters(DATABASE.connect())).isNull();
    }

    private static String counters(Connection connection) throws SQLException {
        return FbfDatabase.query(connection, "SELECT string_agg(name, ' ') FROM fbf_counter");
    }
}
