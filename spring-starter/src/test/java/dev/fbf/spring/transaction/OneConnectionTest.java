package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A pool of one connection, or of two, and many clients: fbf takes no second connection on a thread that holds one. */
@ParameterizedClass(name = "a pool of {0}")
@ValueSource(ints = {1, 2})
@ExtendWith(PostgresExtension.class)
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set before the tests
class OneConnectionTest {

    private static final int CLIENTS = 32;
    private static final int CALLS = 5;

    /** What a client adds to {@code counted} in a transaction of its own, before it calls a guarded method there. */
    private static final long BEFORE = 1_000_000;

    private static HikariDataSource pool;
    private static CountingApp app;

    /** Another process, with connections of its own. */
    private static CountingApp elsewhere;

    private static CountedTable counted;

    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final Counter counter = app.counter;
    private final String name = UUID.randomUUID().toString();
    private final IdempotentScope scope = scopeOf(app).caller(name);
    private final SqlCounters counters = app.bean(SqlCounters.class);
    private final JdbcClient jdbc = JdbcClient.create(pool);

    @SuppressWarnings("UnusedVariable") // the application has them
    OneConnectionTest(int connections) {}

    @BeforeParameterizedClassInvocation
    static void start(int connections, EmbeddedPostgres postgres, @TempDir Path directory) {
        DataSource database = PostgresExtension.newDatabase(postgres, "one_connection");
        FbfSchema.migrate(database, null);
        counted = CountedTable.makeIn(database);
        pool = newPool(database, connections);
        app = start(pool, directory.resolve("here"));
        elsewhere = CountingApp.start(database, directory.resolve("elsewhere"), "fbf.mode=ledger");
        scopeOf(app).execute(IdempotencyKey.of("opened"), () -> {});
        scopeOf(elsewhere).execute(IdempotencyKey.of("opened"), () -> {});
    }

    private static HikariDataSource newPool(DataSource database, int connections) {
        HikariDataSource pool = Pools.of(database, connections);
        pool.setConnectionTimeout(3_000);
        return pool;
    }

    private static CountingApp start(HikariDataSource pool, Path directory) {
        return CountingApp.start(directory, new String[] {"fbf.mode=ledger"}, context -> {
            CountingApp.addTo(context, pool);
            context.registerBean(
                    DataSourcePoolMetadataProvider.class, () -> any -> new HikariDataSourcePoolMetadata(pool));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        elsewhere.close();
        pool.close();
    }

    @BeforeEach
    void zero() {
        jdbc.sql("UPDATE counted SET value = 0").update();
    }

    @AfterEach
    void sendClientsAway() {
        clients.shutdownNow();
    }

    @Test
    void anApplicationThatFindsNoTablesMakesThemAndCounts(EmbeddedPostgres postgres, @TempDir Path another) {
        DataSource empty = PostgresExtension.newDatabase(postgres, "one_connection_empty");
        CountedTable table = CountedTable.makeIn(empty);
        try (HikariDataSource few = newPool(empty, pool.getMaximumPoolSize());
                CountingApp first = start(few, another)) {
            assertThat(first.counter.count(name)).isEqualTo("counted");
            assertThat(first.counter.count(name)).isEqualTo("counted before: " + name);
        }
        assertThat(table.value()).isEqualTo(1);
    }

    @Test
    void annotatedMethodsInTheirCallersTransaction() {
        eachClient(key -> {
            inOwnTransaction(() -> {
                assertThat(counter.count(key)).isEqualTo("counted");
                assertThat(counter.countTransactionally(key + "t")).isEqualTo("counted");
                assertThat(counter.countInSqlOnly(key + "s")).isEqualTo("counted");
            });
            inOwnTransaction(() -> {
                assertThat(counter.count(key)).isEqualTo("counted before: " + key);
                assertThat(counter.countTransactionally(key + "t")).isEqualTo("counted before: " + key + "t");
                assertThat(counter.countInSqlOnly(key + "s")).isEqualTo("counted before: " + key + "s");
            });
        });

        assertThat(counted.value()).isEqualTo((3 + 2 * BEFORE) * CLIENTS * CALLS);
    }

    @Test
    void aScopeThatIsFirstUsedInItsCallersTransaction() {
        IdempotentScope late = app.bean(IdempotentOperations.class).scope(name);

        eachClient(key -> inOwnTransaction(() ->
                assertThat(late.execute(IdempotencyKey.of(key), () -> add(1))).isTrue()));

        assertThat(counted.value()).isEqualTo((1 + BEFORE) * CLIENTS * CALLS);
    }

    @Test
    void operationsThatAnotherProcessHasApplied() {
        eachClient(key -> {
            assertThat(elsewhere.counter.count(key)).isEqualTo("counted");
            assertThat(elsewhere.counter.count(key + "j")).isEqualTo("counted");
            assertThat(scopeOf(elsewhere).caller(name).execute(IdempotencyKey.of(key), () -> {}))
                    .isTrue();
            elsewhere.bean(SqlCounters.class).increment(IdempotencyKey.of(key), name, 1);

            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
            inOwnTransaction(() -> {
                assertThat(counter.countTransactionally(key + "j")).isEqualTo("counted before: " + key + "j");
                assertThat(scope.execute(IdempotencyKey.of(key), () -> add(1))).isFalse();
                assertThat(applyAll(key, key + "new")).isEqualTo(1);
                assertThat(counters.increment(IdempotencyKey.of(key), name, 1)).isPositive();
            });
        });

        assertThat(counted.value()).isEqualTo((3 + BEFORE) * CLIENTS * CALLS);
        assertThat(counters.value(name)).hasValue(CLIENTS * CALLS);
    }

    @Test
    void allOfThemAtOnce() {
        eachClient(key -> {
            counter.count(key);
            counters.increment(IdempotencyKey.of(key), name, 1);
            inOwnTransaction(() -> {
                assertThat(counter.count(key)).isEqualTo("counted before: " + key);
                counters.increment(IdempotencyKey.of(key), name, 1);
                assertThat(applyAll(key + 1, key + 2)).isEqualTo(2);
            });
            assertThat(applyAll(key + 1, key + 2)).isZero();
            assertThat(counter.countInSqlOnly(key)).isEqualTo("counted before: " + key);
        });

        assertThat(counted.value()).isEqualTo((3 + BEFORE) * CLIENTS * CALLS);
        assertThat(counters.value(name)).hasValue(CLIENTS * CALLS);
    }

    /** Each client calls some times, each time with another key. */
    private void eachClient(Consumer<String> call) {
        List<CompletableFuture<Void>> all = IntStream.range(0, CLIENTS)
                .mapToObj(client -> CompletableFuture.runAsync(
                        () -> IntStream.range(0, CALLS).forEach(number -> call.accept(client + "/" + number)), clients))
                .toList();
        all.forEach(CompletableFuture::join);
    }

    /** The caller's connection is the only one, or one of two that other callers want. */
    private void inOwnTransaction(Runnable calls) {
        app.transaction.executeWithoutResult(status -> {
            add(BEFORE);
            calls.run();
        });
    }

    private int applyAll(String... keys) {
        return scope.executeAll(List.of(keys), IdempotencyKey::of, fresh -> add(fresh.size()));
    }

    private static IdempotentScope scopeOf(CountingApp app) {
        return app.bean(IdempotentOperations.class).scope("scope");
    }

    private void add(long number) {
        jdbc.sql("UPDATE counted SET value = value + ?").param(number).update();
    }
}
