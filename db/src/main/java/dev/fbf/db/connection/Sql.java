package dev.fbf.db.connection;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Execution of SQL with parameters. */
public final class Sql {

    private Sql() {}

    /** Reader of a row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Work with a database. */
    public interface Work<T> {
        T get() throws SQLException;
    }

    /** Executes a statement; returns the number of changed rows. */
    public static int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Reads all rows. */
    public static <T> List<T> rows(
            Connection connection, String sql, Reader<? extends T> reader, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        }
    }

    /** Reads the only row; null if there is none. */
    public static <T> @Nullable T find(
            Connection connection, String sql, Reader<? extends T> reader, @Nullable Object... parameters)
            throws SQLException {
        List<T> rows = rows(connection, sql, reader, parameters);
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** Reads the only row of a query that always has one. */
    public static <T> T get(
            Connection connection, String sql, Reader<? extends T> reader, @Nullable Object... parameters)
            throws SQLException {
        return requireNonNull(find(connection, sql, reader, parameters));
    }

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        bind(statement, parameters);
        return statement;
    }

    /** Reads a time in seconds, to the microsecond; zero if it is null. */
    public static Duration seconds(ResultSet row, String column) throws SQLException {
        return Duration.of(Math.round(row.getDouble(column) * 1e6), ChronoUnit.MICROS);
    }

    public static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /** Sets the parameters of a statement. */
    public static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }
}
