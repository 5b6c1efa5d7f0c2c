package dev.fbf.spring;

import dev.fbf.spring.method.CallerOfTheTest;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * One real PostgreSQL for all test classes that ask for a {@link DataSource}, or for the server itself; stopped at the
 * end of the run. Each test finds it as if no node had used it, and is {@linkplain CallerOfTheTest another caller}.
 *
 * <p>With {@code -Dfbf.pgbouncer=session} or {@code transaction}, applications reach it through PgBouncer.
 */
public final class PostgresExtension
        implements ParameterResolver, BeforeAllCallback, BeforeClassTemplateInvocationCallback, BeforeEachCallback {

    static {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10)); // for 100: most of what is awaited comes in a few
    }

    private static final @Nullable String POOL_MODE = System.getProperty("fbf.pgbouncer");

    @SuppressWarnings("NullAway.Init") // set with the server
    private static UnaryOperator<String> urls;

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create("postgres");

    /** Another database of the server, empty. */
    public static DataSource newDatabase(EmbeddedPostgres postgres, String name) {
        JdbcClient jdbc = JdbcClient.create(postgres.getPostgresDatabase());
        jdbc.sql("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)").update();
        jdbc.sql("CREATE DATABASE " + name).update();
        return reach(name);
    }

    /** How an application reaches a database of the server. */
    public static String url(String database) {
        return urls.apply(database);
    }

    private static DataSource reach(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url(database));
        return dataSource;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        forgetNodes(context);
    }

    /** The node of the same tests with other arguments may have made itself known after the last test has begun. */
    @Override
    public void beforeClassTemplateInvocation(ExtensionContext context) {
        forgetNodes(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        CallerOfTheTest.change();
        forgetNodes(context);
    }

    /** Nobody waits for a node that is gone. The rows stay: without one the database would be another to a node that runs. */
    private static void forgetNodes(ExtensionContext context) {
        Server server = context.getRoot().getStore(NAMESPACE).get(Server.class, Server.class);
        if (server != null) {
            server.own
                    .sql("DO $$ BEGIN IF to_regclass('fbf_lease') IS NOT NULL THEN UPDATE fbf_lease SET ended = true,"
                            + " retry_window = interval '0'; DELETE FROM fbf_scope; END IF; END $$")
                    .update();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return Set.of(DataSource.class, EmbeddedPostgres.class)
                .contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Server server = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Server.class, key -> Server.start(), Server.class);
        return parameter.getParameter().getType() == DataSource.class ? server.dataSource : server.postgres;
    }

    /** All parameters are the same data source: a test takes part in the transactions of an application it shares. */
    private record Server(EmbeddedPostgres postgres, DataSource dataSource, JdbcClient own) implements AutoCloseable {

        static Server start() {
            try {
                EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setServerConfig("max_prepared_transactions", "4")
                        .setServerConfig("fsync", "off") // no test takes the power away from it
                        .start();
                urls = POOL_MODE == null
                        ? database -> postgres.getJdbcUrl("postgres", database)
                        : PgBouncer.start(postgres, POOL_MODE)::url;
                JdbcClient own = JdbcClient.create(new SingleConnectionDataSource(
                        postgres.getPostgresDatabase().getConnection(), true));
                // a statement that waits too long for a lock fails, and the test with it
                own.sql("ALTER DATABASE postgres SET lock_timeout = '8s'").update();
                return new Server(postgres, reach("postgres"), own);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            postgres.close();
        }
    }
}
