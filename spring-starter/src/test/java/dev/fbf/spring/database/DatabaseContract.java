package dev.fbf.spring.database;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.FragileDataSource.Fate;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.Pools;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.transaction.NodeStatus;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Operations in ledger mode, in two applications that share a database of any kind. */
@Timeout(45)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before the tests
abstract class DatabaseContract {

    private static final int CREATED = 201;
    private static final int THREADS = 8;
    private static final int INCREMENTS = 50;
    private static final String COUNTERS_TIMEOUT = "2s";
    private static final String EXPIRED = " WHERE expires_at < 1000000000";

    private DataSource direct;
    private FragileDataSource fragile;
    HttpApp here;
    private HttpApp there;
    Counts counts;
    private JdbcClient jdbc;
    String key;

    /** Opens the database, which is the same each time. */
    abstract DataSource open() throws Exception;

    /** Takes the right to write fbf's table from the user of the applications. */
    abstract void revoke(JdbcClient jdbc);

    abstract void grant(JdbcClient jdbc);

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        direct = open();
        jdbc = JdbcClient.create(direct);
        for (String sql : List.of(
                "DROP TABLE IF EXISTS counted",
                "CREATE TABLE counted (id int PRIMARY KEY, total bigint NOT NULL)",
                "INSERT INTO counted VALUES (1, 0)",
                "INSERT INTO counted VALUES (2, 0)")) {
            jdbc.sql(sql).update();
        }
        fragile = new FragileDataSource(open());
        here = HttpApp.start(
                fragile,
                directory,
                List.of(Counts.class, Orders.class),
                "fbf.mode=ledger",
                "fbf.counters.timeout=" + COUNTERS_TIMEOUT,
                AbsentLibraries.NONE,
                "management.endpoint.health.show-components=always");
        there = HttpApp.start(Pools.of(open(), 4), directory, List.of(Counts.class, Orders.class), "fbf.mode=ledger");
        counts = here.bean(Counts.class);
    }

    @AfterAll
    void stop() {
        here.close();
        there.close();
    }

    @BeforeEach
    void begin() {
        jdbc.sql("UPDATE counted SET total = 0").update();
        key = UUID.randomUUID().toString();
    }

    final long total() {
        return jdbc.sql("SELECT total FROM counted WHERE id = 1")
                .query(Long.class)
                .single();
    }

    @Test
    void anOperationIsAppliedOnceHereAndThere() throws Exception {
        counts.count(key);
        counts.count(key);
        there.bean(Counts.class).count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void anOperationInProgressThereIsRefusedHereAndTheRetryIsNotApplied() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        CompletableFuture<String> first = ConcurrentCall.start(() -> {
            there.bean(Counts.class).countAnd(key, () -> {
                begun.countDown();
                refused.await();
            });
            return "counted";
        });
        begun.await();

        if (refusesToWait()) {
            assertInProgress(() -> counts.count(key));
        }
        refused.countDown();
        assertThat(first.get()).isEqualTo("counted");
        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    /** Whether a statement can be told not to wait for a lock. */
    boolean refusesToWait() {
        return true;
    }

    @Test
    void anOperationThatRollsBackIsAppliedByTheRetry() {
        assertThatThrownBy(() -> counts.countAnd(key, () -> {
                    throw new IllegalArgumentException("rolls back");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(total()).isZero();

        there.bean(Counts.class).count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aBatchAppliesItsNewOperations() {
        IdempotentOperations operations = here.bean(IdempotentOperations.class);
        there.bean(IdempotentOperations.class)
                .scope("batch")
                .execute(IdempotencyKey.of(key + "b"), () -> add(there, 1));

        int applied = operations
                .scope("batch")
                .executeAll(
                        List.of("a", "b", "c"),
                        item -> IdempotencyKey.of(key + item),
                        items -> add(here, items.size()));
        int again = operations
                .scope("batch")
                .executeAll(List.of("a", "c"), item -> IdempotencyKey.of(key + item), items -> add(here, items.size()));

        assertThat(applied).isEqualTo(2);
        assertThat(again).isZero();
        assertThat(total()).isEqualTo(3);
    }

    @Test
    void aCallersTransactionGoesOnAfterADuplicate() {
        there.bean(Counts.class).count(key);

        transaction(TransactionDefinition.ISOLATION_DEFAULT).executeWithoutResult(status -> {
            counts.count(key);
            counts.count(key + "new");
            counts.count(key + "new");
        });

        assertThat(total()).isEqualTo(2);
    }

    @Test
    void anOperationThatWasAppliedSinceTheSnapshotIsNotAppliedAgain() {
        try {
            transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ).executeWithoutResult(status -> {
                jdbc(here)
                        .sql("SELECT total FROM counted WHERE id = 2")
                        .query(Long.class)
                        .single();
                there.bean(Counts.class).count(key);
                here.bean(IdempotentOperations.class)
                        .scope("counts")
                        .execute(IdempotencyKey.of(key), () -> add(here, 1));
                counts.touch(key);
            });
        } catch (RuntimeException e) {
            // its snapshot is too old
        }
        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    /** As a deadlock does, whose exception the method catches. */
    @Test
    void aTransactionThatWasRolledBackBehindTheMethodAppliesNothing() {
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> counts.countAnd(key, () -> {
                    connection(here).rollback();
                    add(here, 10);
                }))
                .withMessageContaining("deadlock");
        assertThat(total()).isZero();

        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aCommitWithoutResponseIsInDoubtAndTheRetryIsNotApplied() {
        fragile.breakNextCommit(Fate.UNANSWERED);
        assertUnavailable(() -> counts.count(key));

        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aConnectionThatIsLostBeforeCommitAppliesNothingAndTheRetryDoes() {
        fragile.breakNextCommit(Fate.LOST);
        assertUnavailable(() -> counts.count(key));

        there.bean(Counts.class).count(key);

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aRetryGetsTheFirstResponseHereAndThere() throws Exception {
        HttpResponse<String> first = order(here, "tea");
        HttpResponse<String> again = order(here, "tea");
        HttpResponse<String> elsewhere = order(there, "tea");

        assertThat(first.statusCode()).isEqualTo(CREATED);
        assertThat(first.body()).isEqualTo("tea, 1");
        for (HttpResponse<String> retry : List.of(again, elsewhere)) {
            assertThat(retry.statusCode()).isEqualTo(CREATED);
            assertThat(retry.body()).isEqualTo("tea, 1");
            assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        }
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void anOperationIsForgottenHereAndAppliedAgainThere() throws Exception {
        NodeStatus operator = here.bean(NodeStatus.class);
        Operation operation = new Operation(OperationId.of("orders", "", key), key, null);
        order(there, "tea");

        assertThat(operator.find("orders", operation))
                .extracting(NodeStatus.Known::state)
                .isEqualTo(Refusal.APPLIED);
        assertThat(operator.forget("orders", operation)).isTrue();

        assertThat(operator.find("orders", operation))
                .extracting(NodeStatus.Known::state)
                .isNull();
        order(there, "tea");
        assertThat(total()).isEqualTo(2);
    }

    @Test
    void aKeyOfAnotherRequestIsRefusedThere() throws Exception {
        order(here, "tea");

        assertThat(order(there, "coffee").statusCode()).isEqualTo(422);
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void countersAreIncrementedOnceByKeyHereAndThere() throws Exception {
        String name = "views " + key;
        SqlCounters views = here.bean(SqlCounters.Builder.class).scope("views").build();
        SqlCounters elsewhere =
                there.bean(SqlCounters.Builder.class).scope("views").build();

        assertThat(views.increment(IdempotencyKey.of(key), name, 3)).isEqualTo(3);
        assertThat(views.increment(IdempotencyKey.of(key), name, 3)).isEqualTo(3);
        assertThat(elsewhere.increment(IdempotencyKey.of(key), name, 3)).isEqualTo(3);
        assertThat(elsewhere.increment(IdempotencyKey.of(key + "b"), name, 4)).isEqualTo(7);

        assertThat(views.value(name)).hasValue(7);
        assertThat(views.values(List.of(name, "missing"))).isEqualTo(Map.of(name, 7L));
        assertThat(views.increment(IdempotencyKey.of(key + "c"), Map.of(name, 1L, name + "2", 2L)))
                .isEqualTo(Map.of(name, 8L, name + "2", 2L));
    }

    @Test
    void concurrentIncrementsHereAndThereAreExact() throws Exception {
        String name = "hot " + key;
        List<SqlCounters> nodes = List.of(
                here.bean(SqlCounters.Builder.class).scope("hot").build(),
                there.bean(SqlCounters.Builder.class).scope("hot").build());
        // each key twice at each node
        together(4 * INCREMENTS, i -> incrementUntilAnswered(nodes.get(i % 2), IdempotencyKey.of(key + i / 4), name));

        assertThat(nodes.get(0).value(name)).hasValue(INCREMENTS);
    }

    /** Its group fails first, and it goes alone then. */
    @Test
    void anIncrementWaitsForALockedCounterNoLongerThanItsTimeout() throws Exception {
        String name = "locked " + key;
        SqlCounters locked =
                here.bean(SqlCounters.Builder.class).scope("locked").build();
        locked.increment(IdempotencyKey.of(key), name, 1);
        if (refusesToWait()) {
            try (Connection other = open().getConnection();
                    PreparedStatement lock =
                            other.prepareStatement("UPDATE fbf_counter SET name = name WHERE name = ?")) {
                other.setAutoCommit(false);
                lock.setString(1, name);
                lock.executeUpdate();

                assertUnavailable(() -> locked.increment(IdempotencyKey.of(key + "b"), name, 1));

                other.rollback();
            }
        }

        assertThat(locked.increment(IdempotencyKey.of(key + "b"), name, 1)).isEqualTo(2);
    }

    /** Each in a transaction of its caller, whose other statements are undone with it. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void concurrentOperationsAreExactInEachIsolation(int isolation) throws Exception {
        TransactionTemplate transaction = transaction(isolation);
        together(2 * INCREMENTS, i -> countUntilAnswered(transaction, key + i / 2));

        assertThat(total()).isEqualTo(INCREMENTS);
    }

    /** Makes calls, by their numbers, on several threads. */
    private static void together(int calls, IntConsumer call) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                int number = i;
                all.add(pool.submit(() -> call.accept(number)));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    private void countUntilAnswered(TransactionTemplate transaction, String its) {
        while (true) {
            try {
                transaction.executeWithoutResult(status -> counts.count(its));
                return;
            } catch (OperationRefusedException | ConcurrencyFailureException e) {
                Thread.onSpinWait(); // in progress, or in conflict
            }
        }
    }

    private static void incrementUntilAnswered(SqlCounters node, IdempotencyKey its, String name) {
        while (true) {
            try {
                node.increment(its, name, 1);
                return;
            } catch (OperationRefusedException e) {
                Thread.onSpinWait(); // in progress elsewhere, or in conflict
            }
        }
    }

    @Test
    void inATableOfTheApplicationUnknownNamesHarmNoOthers() throws Exception {
        SqlCounters hits = hits("harmless");

        together(2 * INCREMENTS, i -> {
            if (i % 2 == 0) {
                incrementUntilAnswered(hits, IdempotencyKey.of(key + i), "/");
            } else {
                assertThatThrownBy(() -> incrementUntilAnswered(hits, IdempotencyKey.of(key + i), "/missing" + i))
                        .isInstanceOf(UnknownCounterException.class);
            }
        });

        assertThat(hits.value("/")).hasValue(5 + INCREMENTS);
    }

    private SqlCounters hits(String scope) {
        for (String sql : List.of(
                "DROP TABLE IF EXISTS page",
                "CREATE TABLE page (path varchar(80) PRIMARY KEY, hits bigint NOT NULL)",
                "INSERT INTO page VALUES ('/', 5)")) {
            jdbc.sql(sql).update();
        }
        return here.bean(SqlCounters.Builder.class)
                .scope(scope)
                .table("page", "path", "hits")
                .build();
    }

    @Test
    void aTableWithoutAUniqueKeyIsRefused() {
        jdbc.sql("DROP TABLE IF EXISTS many").update();
        jdbc.sql("CREATE TABLE many (path varchar(80), hits bigint)").update();
        SqlCounters.Builder many =
                here.bean(SqlCounters.Builder.class).scope("many").table("many", "path", "hits");

        assertThatIllegalArgumentException().isThrownBy(many::build).withMessageContaining("needs a unique index");
    }

    @Test
    void rowsAreDeletedWhenTheyHaveExpired() throws Exception {
        order(here, "tea");
        Awaitility.await().until(() -> rows("fbf_response") > 0);
        jdbc.sql("UPDATE fbf_ledger SET expires_at = expires_at - 1000000000").update();
        jdbc.sql("UPDATE fbf_response SET expires_at = expires_at - 1000000000").update();
        counts.count(key);

        try (Connection connection = direct.getConnection()) {
            ledger(connection).purge(connection, () -> false);
        }

        assertThat(rows("fbf_ledger" + EXPIRED) + rows("fbf_response" + EXPIRED))
                .isZero();
        there.bean(Counts.class).count(key);
        assertThat(total()).as("with one that was kept").isEqualTo(2);
        order(there, "tea");
        assertThat(total()).as("with one that was forgotten").isEqualTo(3);
    }

    @Test
    void anApplicationThatMayNotWriteGetsRefusalsUntilItMay() throws Exception {
        revoke(jdbc);
        try {
            assertUnavailable(() -> counts.count(key));
            assertThat(order(here, "tea").statusCode()).isEqualTo(503);
        } finally {
            grant(jdbc);
        }

        counts.count(key);

        assertThat(total()).isEqualTo(1);
    }

    private static Ledger ledger(Connection connection) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        return dialect.ledger(dialect.schemaOf(connection));
    }

    private long rows(String table) {
        return jdbc.sql("SELECT count(*) FROM " + table).query(Long.class).single();
    }

    final HttpResponse<String> order(HttpApp app, String what) throws Exception {
        return app.send("POST", "/orders", key, "text/plain", what.getBytes(UTF_8));
    }

    private TransactionTemplate transaction(int isolation) {
        TransactionTemplate transaction = new TransactionTemplate(here.bean(PlatformTransactionManager.class));
        transaction.setIsolationLevel(isolation);
        return transaction;
    }

    private static Connection connection(HttpApp app) {
        return DataSourceUtils.getConnection(app.bean(DataSource.class));
    }

    static JdbcClient jdbc(HttpApp app) {
        return JdbcClient.create(app.bean(DataSource.class));
    }

    private static void add(HttpApp app, int delta) {
        jdbc(app)
                .sql("UPDATE counted SET total = total + ? WHERE id = 1")
                .param(delta)
                .update();
    }

    /** Work of a test. */
    interface Action {
        void run() throws Exception;
    }

    static class Counts {

        private final JdbcClient jdbc;

        Counts(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "counts", key = "#key", waitInProgress = "0s")
        public void count(String key) {
            add();
        }

        @IdempotentIncrement(scope = "counts", key = "#key", waitInProgress = "0s")
        public void countAnd(String key, Action action) throws Exception {
            add();
            action.run();
        }

        @IdempotentIncrement(scope = "counts", key = "#key", waitInProgress = "0s", sqlOnly = true)
        public void touch(String key) {
            add();
        }

        private void add() {
            jdbc.sql("UPDATE counted SET total = total + 1 WHERE id = 1").update();
        }
    }

    @RestController
    static class Orders {

        private final JdbcClient jdbc;

        Orders(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        public ResponseEntity<String> order(@RequestBody String what) {
            jdbc.sql("UPDATE counted SET total = total + 1 WHERE id = 1").update();
            long number = jdbc.sql("SELECT total FROM counted WHERE id = 1")
                    .query(Long.class)
                    .single();
            return ResponseEntity.created(URI.create("/orders/" + number)).body(what + ", " + number);
        }
    }
}
