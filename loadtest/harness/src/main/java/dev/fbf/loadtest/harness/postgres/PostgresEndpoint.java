package dev.fbf.loadtest.harness.postgres;

import dev.fbf.loadtest.harness.sql.SqlEndpoint;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A database of PostgreSQL. */
public class PostgresEndpoint implements SqlEndpoint {

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

    @Override
    public Connection connect() throws SQLException {
        return connect(database);
    }

    @Override
    public Connection connect(String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("socketTimeout", "120");
        return DriverManager.getConnection(url(port, database), properties);
    }

    /** The URL of a database for a user who is given apart. */
    public static String url(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    @Override
    public String url() {
        return url(port, database);
    }

    @Override
    public String database() {
        return database;
    }

    public final int port() {
        return port;
    }
}
