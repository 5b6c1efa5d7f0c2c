package dev.fbf.loadtest.harness.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A database behind a loopback port, which is a server's or a proxy's. Thread-safe. */
public class PostgresEndpoint {

    /** The database of all connections that name no other. */
    public static final String DATABASE = "postgres";

    /** The superuser, which needs no password. */
    public static final String USER = "postgres";

    private final int port;
    private final String database;

    public PostgresEndpoint(int port, String database) {
        this.port = port;
        this.database = database;
    }

    /** Maps a row of a result. */
    @FunctionalInterface
    public interface Mapping<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** Runs a query on a connection of its own. */
    public <T> List<T> query(String sql, Mapping<T> mapping, Object... parameters) throws SQLException {
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

    public long number(String sql) throws SQLException {
        return query(sql, row -> row.getLong(1)).get(0);
    }

    /** Executes statements; returns how many rows the last of them changed. */
    public int execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return statement.getUpdateCount();
        }
    }

    /** A connection of one's own. */
    public Connection connect() throws SQLException {
        return connect(database);
    }

    public Connection connect(String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("socketTimeout", "120");
        return DriverManager.getConnection(url(port, database), properties);
    }

    /** The URL of a database for a user who is given apart. */
    public static String url(int port) {
        return url(port, DATABASE);
    }

    public static String url(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    public String url() {
        return url(port, database);
    }

    public String database() {
        return database;
    }

    public final int port() {
        return port;
    }
}
