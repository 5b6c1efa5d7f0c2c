package dev.fbf.db;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.dialect.CounterTable;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A database with fbf's tables for a test class, emptied before each test. All are on one server, which ends with the JVM
 * and syncs nothing; a class that needs settings of its own has a server of its own. Closes the tests' connections.
 */
public final class FbfDatabase implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    /** Needs quoting; it is behind {@code public} on the search path, for the tests' own SQL. */
    public static final String SCHEMA = "fbf's \"own\" Schema";

    public static final FbfSchema TABLES = FbfSchema.in(SCHEMA);

    public static final CounterTable COUNTERS = CounterTable.ofFbf(TABLES.sql("{fbf}.fbf_counter"));

    private static final String TEMPLATE = "fbf_template";

    private final Map<String, String> serverConfig;
    private final Map<Connection, String> backends = new ConcurrentHashMap<>();

    private @Nullable EmbeddedPostgres postgres;
    private @Nullable Connection observer;
    private String name = "";

    /** On the server that is shared. */
    public FbfDatabase() {
        this(Map.of());
    }

    /** On a server with these settings, unless there are none. */
    public FbfDatabase(Map<String, String> serverConfig) {
        this.serverConfig = serverConfig;
    }

    /** The server that is shared, with what databases are made from. Started when a class first needs it. */
    private static final class Shared {

        static final EmbeddedPostgres SERVER = startUnchecked();

        private static EmbeddedPostgres startUnchecked() {
            try {
                return start(Map.of());
            } catch (IOException | SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static EmbeddedPostgres start(Map<String, String> config) throws IOException, SQLException {
        // no test takes the power away from it
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "off")
                .setServerConfig("synchronous_commit", "off")
                .setServerConfig("full_page_writes", "off")
                .setServerConfig("max_prepared_transactions", "2");
        config.forEach(builder::setServerConfig);
        EmbeddedPostgres started = builder.start();
        FbfSchema.migrate(create(started, TEMPLATE, "template1"), SCHEMA);
        return started;
    }

    /** An empty database on the server that is shared. */
    public static DataSource empty(Class<?> test) throws SQLException {
        return create(Shared.SERVER, nameOf(test), "template1");
    }

    private static DataSource create(EmbeddedPostgres server, String name, String template) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection()) {
            execute(connection, "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
            execute(connection, "CREATE DATABASE " + name + " TEMPLATE " + template);
        }
        return server.getDatabase("postgres", name);
    }

    private static String nameOf(Class<?> test) {
        return test.getSimpleName().toLowerCase(Locale.ROOT);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException, SQLException {
        EmbeddedPostgres server = serverConfig.isEmpty() ? Shared.SERVER : start(serverConfig);
        postgres = server;
        name = nameOf(context.getRequiredTestClass());
        try (Connection connection = create(server, name, TEMPLATE).getConnection()) {
            execute(connection, "ALTER DATABASE " + name + " SET search_path = public, " + Identifiers.quote(SCHEMA));
        }
        Connection lasting = server.getDatabase("postgres", name).getConnection();
        execute(lasting, "SET statement_timeout = '30s'");
        observer = lasting;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws SQLException {
        execute(
                connect(),
                "TRUNCATE fbf_response, fbf_counter, fbf_horizon, fbf_lease, fbf_ledger, fbf_scope, fbf_witness");
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        for (Connection connection : backends.keySet()) {
            connection.close();
        }
        backends.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException, SQLException {
        requireNonNull(observer).close();
        if (!serverConfig.isEmpty()) {
            requireNonNull(postgres).close();
        }
    }

    /** A connection in autocommit; what waits for a lock in vain fails in the end, and the test with it. */
    public Connection connect() throws SQLException {
        return connect(Map.of());
    }

    public Connection connect(Map<String, String> driverProperties) throws SQLException {
        Connection connection = requireNonNull(postgres)
                .getDatabase("postgres", name, driverProperties)
                .getConnection();
        backends.put(connection, query(connection, "SELECT pg_backend_pid()"));
        execute(connection, "SET lock_timeout = '10s'; SET statement_timeout = '30s'");
        return connection;
    }

    /** A connection whose transactions have this isolation unless they ask for another. */
    public Connection connect(String isolation) throws SQLException {
        Connection connection = connect();
        execute(connection, "SET default_transaction_isolation = '" + isolation + "'");
        return connection;
    }

    /** A connection whose search path has none of fbf's tables. */
    public Connection elsewhere() throws SQLException {
        Connection connection = connect();
        execute(connection, "SET search_path = pg_catalog");
        return connection;
    }

    /** A connection out of autocommit. */
    public Connection begin() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Returns when somebody waits for a lock. */
    public void awaitAWaiter() throws SQLException {
        awaitWaiters(1);
    }

    /** Returns when so many wait for locks. The server polls: some wait for a few milliseconds only. */
    public void awaitWaiters(int count) throws SQLException {
        execute(
                requireNonNull(observer),
                "DO $$ BEGIN WHILE (SELECT count(*) FROM pg_locks WHERE NOT granted) < " + count
                        + " LOOP PERFORM pg_sleep(0.0005); END LOOP; END $$");
    }

    /** Whether the connection's backend is between transactions. */
    public boolean isIdle(Connection connection) throws SQLException {
        return "idle".equals(query(connect(), "SELECT state FROM pg_stat_activity WHERE pid = " + backend(connection)));
    }

    /** Ends the connection's backend and waits until it is gone. */
    public void lose(Connection connection) throws SQLException {
        assertThat(query(connect(), "SELECT pg_terminate_backend(" + backend(connection) + ", 10000)"))
                .isEqualTo("t");
    }

    private String backend(Connection connection) {
        return requireNonNull(backends.get(connection));
    }

    /** The value of a counter; empty if there is no such counter. */
    public static OptionalLong value(CounterTable counters, Connection connection, String counter) throws SQLException {
        Long value = counters.values(connection, List.of(counter)).get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** Enters operations that have expired. */
    public static void enterExpired(Connection connection, int count) throws SQLException {
        enter(connection, count, 60);
        execute(connection, "INSERT INTO fbf_horizon VALUES ('0', now()) ON CONFLICT DO NOTHING");
        execute(
                connection,
                "INSERT INTO fbf_horizon SELECT pg_current_xact_id(), ended_by - interval '29 minutes' FROM fbf_horizon"
                        + " WHERE transactions_before = '0'");
    }

    /** Enters operations that will expire in an hour. */
    public static void enterKept(Connection connection, int count) throws SQLException {
        enter(connection, count, 3_600);
    }

    private static void enter(Connection connection, int count, int retention) throws SQLException {
        execute(
                connection,
                "INSERT INTO fbf_ledger (operation, transaction_id, retention) SELECT gen_random_uuid(), pg_current_xact_id(), "
                        + retention + " FROM generate_series(1, " + count + ")");
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
