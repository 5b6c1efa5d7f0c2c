package dev.fbf.db.dialect;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.FbfSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that is killed while it makes fbf's tables: before each statement and each COMMIT, one after another. */
@Tag("slow")
class KilledMigrationTest {

    @Test
    void theNextOneMakesAllTablesWhereverItDies() throws Exception {
        DataSource database = FbfDatabase.empty(KilledMigrationTest.class);
        int steps = 0;
        while (dies(database, steps)) {
            steps++;
        }
        // six tables with their comments, and what Flyway asks and notes
        assertThat(steps).isGreaterThan(20);
    }

    /** Returns whether it died before its end. */
    private static boolean dies(DataSource database, int steps) throws SQLException {
        String schema = "dead_before_" + steps;
        Mortal mortal = new Mortal(database, steps);
        boolean died = false;
        try {
            FbfSchema.migrate(mortal.dataSource(), schema);
        } catch (RuntimeException | Error e) {
            died = true;
        }
        assertThat(died).as(schema).isEqualTo(mortal.isDead());
        try (Connection connection = database.getConnection()) {
            assertThat(FbfDatabase.query(
                            connection, "SELECT count(*) FROM pg_namespace WHERE nspname = '" + schema + "'"))
                    .as(schema)
                    .isEqualTo(died ? "0" : "1");
        }

        FbfSchema.migrate(database, schema);
        try (Connection connection = database.getConnection()) {
            assertThat(FbfDatabase.query(
                            connection,
                            "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = '"
                                    + schema + "'"))
                    .as(schema)
                    .isEqualTo(
                            "fbf_counter fbf_horizon fbf_lease fbf_ledger fbf_response fbf_schema_history fbf_scope fbf_witness");
            assertThat(FbfDatabase.query(
                            connection,
                            "SELECT count(*) FROM " + schema + ".fbf_schema_history WHERE version = '1' AND success"))
                    .as(schema)
                    .isEqualTo("1");
            assertThat(CounterTable.ofFbf(FbfSchema.in(schema).sql("{fbf}.fbf_counter"))
                            .add(connection, "views", 1))
                    .isEqualTo(1);
        }
        return died;
    }

    /** Connections of a process that executes so many statements, and is gone then: the server finds their sockets closed. */
    private static final class Mortal {

        private final DataSource dataSource;
        private final AtomicInteger left;
        private final Collection<Connection> connections = new ConcurrentLinkedQueue<>();

        Mortal(DataSource dataSource, int steps) {
            this.dataSource = dataSource;
            left = new AtomicInteger(steps);
        }

        DataSource dataSource() {
            return proxy(DataSource.class, dataSource);
        }

        boolean isDead() {
            return left.get() < 0;
        }

        private void step() throws SQLException {
            if (left.getAndDecrement() <= 0) {
                for (Connection connection : connections) {
                    connection.abort(Runnable::run);
                }
                throw new Error("killed");
            }
        }

        private <T> T proxy(Class<T> type, Object target) {
            return type.cast(Proxy.newProxyInstance(
                    Mortal.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        if (method.getName().startsWith("execute")
                                || method.getName().equals("commit")) {
                            step();
                        }
                        if (isDead()) {
                            return silent(method.getReturnType()); // nobody is there to clean up
                        }
                        Object result = call(target, method, arguments);
                        if (result instanceof Connection connection && target == dataSource) {
                            connections.add(connection);
                        }
                        return method.getReturnType()
                                        .getName()
                                        .matches("java\\.sql\\.(Connection|(Prepared)?Statement)")
                                ? proxy(method.getReturnType(), requireNonNull(result))
                                : result;
                    }));
        }

        private static @Nullable Object silent(Class<?> type) {
            if (type == boolean.class) {
                return false;
            }
            if (type == void.class) {
                return null;
            }
            throw new Error("killed");
        }

        private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
