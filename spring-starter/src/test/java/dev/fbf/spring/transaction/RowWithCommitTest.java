package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.p6spy.engine.spy.P6DataSource;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.jdbc.datasource.JdbcTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.apache.tomcat.jdbc.pool.interceptor.StatementCache;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Methods that only execute SQL, in ledger mode, at two nodes: the operation's row is entered with COMMIT, whatever is between the
 * application and its driver, and however that sends statements.
 */
@Tag("slow")
@ParameterizedClass
@EnumSource
@ExtendWith(PostgresExtension.class)
@Timeout(60)
@SuppressWarnings("NullAway.Init") // set before the tests
class RowWithCommitTest {

    private static final int THREADS = 8;
    private static final int KEYS = 100;

    /** How the application at the first node reaches the database. */
    private enum Reach {
        HIKARI(Reach::hikari),
        SIMPLE(url -> hikari(url + "&preferQueryMode=simple")),
        EXTENDED_FOR_PREPARED(url -> hikari(url + "&preferQueryMode=extendedForPrepared")),
        EXTENDED_CACHE_EVERYTHING(url -> hikari(url + "&preferQueryMode=extendedCacheEverything")),
        AUTOSAVE_ALWAYS(url -> hikari(url + "&autosave=always")),
        AUTOSAVE_CONSERVATIVE(url -> hikari(url + "&autosave=conservative")),
        PREPARED_AT_ONCE(url -> hikari(url + "&prepareThreshold=1")),
        WITHOUT_AUTOCOMMIT(url -> {
            HikariDataSource pool = hikari(url);
            pool.setAutoCommit(false);
            return pool;
        }),
        TOMCAT_WITH_STATEMENT_CACHE(url -> {
            PoolProperties properties = new PoolProperties();
            properties.setUrl(url);
            properties.setDriverClassName(org.postgresql.Driver.class.getName());
            properties.setJdbcInterceptors(StatementCache.class.getName() + "(prepared=true)");
            return new org.apache.tomcat.jdbc.pool.DataSource(properties);
        }),
        DBCP2(url -> {
            BasicDataSource pool = new BasicDataSource();
            pool.setUrl(url);
            pool.setPoolPreparedStatements(true);
            return pool;
        }),
        C3P0(url -> {
            ComboPooledDataSource pool = new ComboPooledDataSource();
            pool.setJdbcUrl(url);
            pool.setMaxStatements(50);
            return pool;
        }),
        P6SPY(url -> new P6DataSource(hikari(url))),
        DATASOURCE_PROXY(url -> ProxyDataSourceBuilder.create(hikari(url)).build()),
        OPEN_TELEMETRY(url -> JdbcTelemetry.create(OpenTelemetry.noop()).wrap(hikari(url))),
        AWS_WRAPPER(url -> {
            HikariDataSource pool = hikari(url.replace("jdbc:", "jdbc:aws-wrapper:"));
            pool.setDriverClassName(software.amazon.jdbc.Driver.class.getName());
            return pool;
        });

        @SuppressWarnings("ImmutableEnumChecker") // without state
        private final Function<String, DataSource> opening;

        Reach(Function<String, DataSource> opening) {
            this.opening = opening;
        }

        private static HikariDataSource hikari(String url) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setMaximumPoolSize(THREADS);
            return pool;
        }
    }

    private static final DelegatingDataSource switched = new DelegatingDataSource();

    private static CountingApp app;
    private static CountingApp elsewhere;
    private final Reach reach;
    private final Counter counter = app.counter;

    private CountedTable counted;
    private JdbcClient jdbc;
    private JdbcClient outside;

    RowWithCommitTest(Reach reach) {
        this.reach = reach;
    }

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        CountedTable.makeIn(dataSource);
        switched.setTargetDataSource(dataSource);
        app = startNode(switched, directory.resolve("here"));
        elsewhere = startNode(dataSource, directory.resolve("elsewhere"));
    }

    private static CountingApp startNode(DataSource dataSource, Path directory) {
        return CountingApp.start(dataSource, directory, "fbf.mode=ledger", ConstantsOfTheTest.UNREGISTERED);
    }

    @AfterAll
    static void stop() {
        app.close();
        elsewhere.close();
    }

    @BeforeParameterizedClassInvocation
    static void open(Reach reach) {
        switched.setTargetDataSource(reach.opening.apply(PostgresExtension.url("postgres")));
    }

    @AfterParameterizedClassInvocation
    static void close() throws Exception {
        DataSource opened = requireNonNull(switched.getTargetDataSource());
        if (opened instanceof AutoCloseable pool) {
            pool.close();
        } else if (opened instanceof org.apache.tomcat.jdbc.pool.DataSource tomcat) {
            tomcat.close();
        } else if (opened.isWrapperFor(HikariDataSource.class)) {
            opened.unwrap(HikariDataSource.class).close();
        }
    }

    @BeforeEach
    void makeTables(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(switched);
        outside = JdbcClient.create(dataSource);
        outside.sql("""
                DROP TABLE IF EXISTS child, account;
                CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
                INSERT INTO account VALUES (1, 1);
                CREATE TABLE child (account int REFERENCES account DEFERRABLE INITIALLY DEFERRED)
                """).update();
    }

    @Test
    void anOperationIsAppliedOnce() {
        assertThat(counter.countInSqlOnly("a")).isEqualTo("counted");
        assertThat(counter.countInSqlOnly("a")).isEqualTo("counted before: a");
        assertThat(elsewhere.counter.countInSqlOnly("a")).isEqualTo("counted before: a");

        assertThat(elsewhere.counter.countInSqlOnly("b")).isEqualTo("counted");
        assertThat(counter.countInSqlOnly("b")).isEqualTo("counted before: b");

        assertThat(counted.value()).isEqualTo(2);
        assertThat(entered()).isEqualTo(2);
    }

    @Test
    void aMethodWithoutSqlIsEnteredAllTheSame() throws Exception {
        assertThat(counter.runInSqlOnly("a", () -> {})).isEqualTo("run");
        assertThat(elsewhere.counter.runInSqlOnly("a", () -> {})).isEqualTo("run before: a");
    }

    @Test
    void anOperationThatAnotherNodeAppliesMeanwhileIsRolledBackHere() throws Exception {
        assertThat(counter.runInSqlOnly("a", () -> {
                    jdbc.sql("INSERT INTO account VALUES (2, 2)").update();
                    elsewhere("a");
                    count();
                }))
                .isEqualTo("run before: a");

        assertThat(counted.value()).isEqualTo(1);
        assertThat(outside.sql("SELECT count(*) FROM account").query(Long.class).single())
                .isEqualTo(1);
    }

    @Test
    void aDebitThatEmptiedTheAccountElsewhereIsARetryAndNoFailure() throws Exception {
        debitElsewhere("a");

        assertThat(counter.runInSqlOnly("a", () -> debit(jdbc))).isEqualTo("run before: a");
        assertThatThrownBy(() -> counter.runInSqlOnly("b", () -> debit(jdbc))).hasMessage("the account is empty");
        assertThat(balance(outside)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"a, run before: a, 4", "b, run, 3"})
    void aConflictWithTheSameOperationElsewhereIsARetryAndOneWithAnotherIsAConflict(
            String there, String then, int balance) throws Exception {
        outside.sql("UPDATE account SET balance = 5").update();
        Counter.Action besideAnother = () -> {
            balance(jdbc);
            debitElsewhere(there);
            debit(jdbc);
        };

        if (there.equals("a")) {
            assertThat(counter.runRepeatablyInSqlOnly("a", besideAnother)).isEqualTo(then);
        } else {
            assertThatThrownBy(() -> counter.runRepeatablyInSqlOnly("a", besideAnother));
            assertThat(counter.runRepeatablyInSqlOnly("a", () -> debit(jdbc))).isEqualTo(then);
        }
        assertThat(balance(outside)).isEqualTo(balance);
    }

    @Test
    void aMethodThatMarksItsTransactionIsNotAppliedUnlessAnotherNodeHasAppliedIt() throws Exception {
        assertThat(counter.runTransactionallyInSqlOnly("a", this::countAndMark)).isEqualTo("run");
        assertThat(counted.value()).isZero();

        elsewhere("a");
        assertThat(counter.runTransactionallyInSqlOnly("a", this::countAndMark)).isEqualTo("run before: a");
        assertThat(counter.runTransactionallyInSqlOnly("b", () -> {
                    elsewhere("b");
                    countAndMark();
                }))
                .isEqualTo("run before: b");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aMethodThatThrowsIsNotAppliedUnlessAnotherNodeHasAppliedIt() throws Exception {
        assertThatThrownBy(() -> counter.runInSqlOnly("a", this::countAndThrow)).hasMessage("mine");
        assertThat(counted.value()).isZero();
        assertThat(entered()).isZero();

        elsewhere("a");
        assertThat(counter.runInSqlOnly("a", this::countAndThrow)).isEqualTo("run before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aFailedStatementThatTheMethodHasSwallowedIsReported() throws Exception {
        if (reach == Reach.AUTOSAVE_ALWAYS) {
            // PostgreSQL rolls the failed statement back alone
            assertThat(counter.runInSqlOnly("a", this::countFailAndSwallow)).isEqualTo("run");
            assertThat(counted.value()).isEqualTo(1);
        } else {
            assertThatThrownBy(() -> counter.runInSqlOnly("a", this::countFailAndSwallow))
                    .isInstanceOf(RuntimeException.class)
                    .hasMessageContaining("roll");
            assertThat(counted.value()).isZero();
            assertThat(counter.runInSqlOnly("a", this::count)).isEqualTo("run");
        }
        assertThat(counter.runInSqlOnly("a", this::count)).isEqualTo("run before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aDeferredConstraintIsTheApplicationsOwnError() throws Exception {
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> counter.runInSqlOnly("a", () -> {
                    count();
                    jdbc.sql("INSERT INTO child VALUES (99)").update();
                }));
        assertThat(counted.value()).isZero();
        assertThat(entered()).isZero();

        assertThat(counter.runInSqlOnly("a", this::count)).isEqualTo("run");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void inItsCallersTransactionARetrySpoilsNothing() {
        elsewhere.counter.countInSqlOnly("a");

        app.transaction.executeWithoutResult(status -> {
            count();
            assertThat(counter.countInSqlOnly("a")).isEqualTo("counted before: a");
            assertThat(counter.countInSqlOnly("b")).isEqualTo("counted");
        });

        assertThat(counted.value()).isEqualTo(3);
        assertThat(elsewhere.counter.countInSqlOnly("b")).isEqualTo("counted before: b");
    }

    @Test
    void keysThatTwoNodesGetAtTheSameTimeAreAppliedOnceEach() {
        ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
        AtomicInteger applied = new AtomicInteger();
        try {
            List<CompletableFuture<Void>> calls = Stream.iterate(0, key -> key + 1)
                    .limit(reach == Reach.HIKARI ? 4 * KEYS : KEYS)
                    .flatMap(key -> Stream.of(counter, elsewhere.counter)
                            .map(node ->
                                    CompletableFuture.runAsync(() -> countOnce(node, "key-" + key, applied), threads)))
                    .toList();
            calls.forEach(CompletableFuture::join);
            assertThat(applied).hasValue(calls.size() / 2);
            assertThat(counted.value()).isEqualTo(calls.size() / 2);
            assertThat(entered()).isEqualTo(calls.size() / 2);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void incrementsAreExact() {
        SqlCounters counters = app.bean(SqlCounters.class);
        String name = UUID.randomUUID().toString();
        ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
        try {
            List<CompletableFuture<Long>> calls = Stream.iterate(0, key -> key + 1)
                    .limit(KEYS)
                    .map(key -> CompletableFuture.supplyAsync(
                            () -> counters.increment(IdempotencyKey.of(name + key), name, 1), threads))
                    .toList();
            assertThat(calls.stream().map(CompletableFuture::join))
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, KEYS).boxed().toList());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void countOnce(Counter node, String key, AtomicInteger applied) {
        try {
            applied.addAndGet(node.countInSqlOnly(key).equals("counted") ? 1 : 0);
        } catch (OperationInProgressException e) {
            // the other node is applying it
        }
    }

    /** Applies an operation at the other node, for another client. */
    private static void elsewhere(String key) throws Exception {
        ConcurrentCall.start(() -> elsewhere.counter.countInSqlOnly(key)).get();
    }

    private void debitElsewhere(String key) throws Exception {
        ConcurrentCall.start(() -> elsewhere.counter.runInSqlOnly(key, () -> debit(outside)))
                .get();
    }

    private static void debit(JdbcClient client) {
        if (balance(client) == 0) {
            throw new IllegalStateException("the account is empty");
        }
        client.sql("UPDATE account SET balance = balance - 1").update();
    }

    private void count() {
        jdbc.sql("UPDATE counted SET value = value + 1").update();
    }

    private void countAndMark() {
        count();
        TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
    }

    private void countAndThrow() {
        count();
        throw new IllegalStateException("mine");
    }

    private void countFailAndSwallow() {
        count();
        assertThatThrownBy(() -> jdbc.sql("INSERT INTO account VALUES (1, 1)").update())
                .isInstanceOf(DataIntegrityViolationException.class);
    }

    private static int balance(JdbcClient client) {
        return client.sql("SELECT balance FROM account").query(Integer.class).single();
    }

    private long entered() {
        return outside.sql("SELECT count(*) FROM fbf_ledger").query(Long.class).single();
    }
}
