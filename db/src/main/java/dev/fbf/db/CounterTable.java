package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/**
 * fbf's ready-to-use counters, in the table {@code fbf_counter}.
 *
 * <p>Works on the caller's connection and in the caller's transaction; guards nothing by itself.
 */
public final class CounterTable {

    private static final String ADD = """
            INSERT INTO fbf_counter (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = fbf_counter.value + excluded.value
            RETURNING value
            """;

    private static final String VALUE = "SELECT value FROM fbf_counter WHERE name = ?";

    private CounterTable() {}

    /**
     * Adds to a counter, which begins at 0.
     *
     * @param connection the caller's connection
     * @param name the counter's name, 1 to 255 characters
     * @param delta what to add, negative to subtract
     * @return the counter's new value
     * @throws SQLException if the value would leave the range of {@code bigint} (SQL state 22003), or the database
     *     cannot be reached
     */
    public static long add(Connection connection, String name, long delta) throws SQLException {
        requireName(name);
        try (PreparedStatement statement = connection.prepareStatement(ADD)) {
            statement.setString(1, name);
            statement.setLong(2, delta);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    /**
     * Reads a counter.
     *
     * @param connection the caller's connection
     * @param name the counter's name, 1 to 255 characters
     * @return the value; empty if nothing was ever added
     * @throws SQLException if the database cannot be reached
     */
    public static OptionalLong value(Connection connection, String name) throws SQLException {
        requireName(name);
        try (PreparedStatement statement = connection.prepareStatement(VALUE)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    private static void requireName(String name) {
        if (name.isEmpty() || name.length() > 255) {
            throw new IllegalArgumentException("name=" + name + ": must have 1 to 255 characters");
        }
    }
}
