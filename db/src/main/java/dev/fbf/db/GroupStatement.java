package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A statement that is a transaction of its own, and whose isolation does not depend on the connection's default. */
final class GroupStatement {

    /*
     * The driver sends both statements at once, and the server takes what arrives at once in autocommit as one
     * transaction. Its isolation ends with it: the next transaction has the default again.
     */
    private static final String READ_COMMITTED = "SET transaction_isolation = 'read committed'; ";

    /** After this time the server is told to cancel it. */
    private static final int SECONDS = 10;

    private GroupStatement() {}

    static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(READ_COMMITTED + sql);
        statement.setQueryTimeout(SECONDS);
        return statement;
    }

    /** Executes it; its transaction has committed when this returns the rows. */
    static ResultSet execute(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        return statement.getResultSet();
    }
}
