package dev.fbf.loadtest.harness.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A database behind a loopback port, which is a server's or a proxy's. Thread-safe. */
public interface SqlEndpoint {

    /** A connection of one's own. */
    Connection connect() throws SQLException;

    Connection connect(String database) throws SQLException;

    String database();

    String url();

    /** Maps a row of a result. */
    @FunctionalInterface
    interface Mapping<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Runs a query on a connection of its own. */
    default <T> List<T> query(String sql, Mapping<T> mapping, Object... parameters) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            List<T> mapped = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    mapped.add(mapping.of(rows));
                }
            }
            return mapped;
        }
    }

    default long number(String sql) throws SQLException {
        return query(sql, row -> row.getLong(1)).get(0);
    }

    /** Executes statements; returns how many rows the last of them changed. */
    default int execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return statement.getUpdateCount();
        }
    }
}
