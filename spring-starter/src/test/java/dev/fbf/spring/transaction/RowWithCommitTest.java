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
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.jdbc.datasource.JdbcTelemetry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
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
class RowWithCommitTest {

    private static final int THREADS = 8;
    private static final int KEYS = 100;

    /** How the application at the first node reaches the database. */
    private enum Reach {
        HIKARI("") {
            @Override
            DataSource open(String url) {
                return hikari(url);
            }
        },
        SIMPLE("preferQueryMode=simple"),
        EXTENDED("preferQueryMode=extended"),
        EXTENDED_FOR_PREPARED("preferQueryMode=extendedForPrepared"),
        EXTENDED_CACHE_EVERYTHING("preferQueryMode=extendedCacheEverything"),
        AUTOSAVE_ALWAYS("autosave=always"),
        AUTOSAVE_CONSERVATIVE("autosave=conservative"),
        AUTOSAVE_NEVER("autosave=never"),
        PREPARED_AT_ONCE("prepareThreshold=1"),
        WITHOUT_AUTOCOMMIT("") {
            @Override
            DataSource open(String url) {
                HikariDataSource pool = hikari(url);
                pool.setAutoCommit(false);
                return pool;
            }
        },
        TOMCAT_WITH_STATEMENT_CACHE("") {
            @Override
            DataSource open(String url) {
                PoolProperties properties = new PoolProperties();
                properties.setUrl(url);
                properties.setDriverClassName(org.postgresql.Driver.class.getName());
                properties.setJdbcInterceptors(StatementCache.class.getName() + "(prepared=true)");
                return new org.apache.tomcat.jdbc.pool.DataSource(properties);
            }
        },
        DBCP2("") {
            @Override
            DataSource open(String url) {
                BasicDataSource pool = new BasicDataSource();
                pool.setUrl(url);
                pool.setPoolPreparedStatements(true);
                return pool;
            }
        },
        C3P0("") {
            @Override
            DataSource open(String url) {
                ComboPooledDataSource pool = new ComboPooledDataSource();
                pool.setJdbcUrl(url);
                pool.setMaxStatements(50);
                return pool;
            }
        },
        P6SPY("") {
            @Override
            DataSource open(String url) {
                return new P6DataSource(hikari(url));
            }
        },
        DATASOURCE_PROXY("") {
            @Override
            DataSource open(String url) {
                return ProxyDataSourceBuilder.create(hikari(url)).build();
            }
        },
        OPEN_TELEMETRY("") {
            @Override
            DataSource open(String url) {
                return JdbcTelemetry.create(OpenTelemetry.noop()).wrap(hikari(url));
            }
        },
        AWS_WRAPPER("") {
            @Override
            DataSource open(String url) {
                HikariDataSource pool = hikari(url.replace("jdbc:", "jdbc:aws-wrapper:"));
                pool.setDriverClassName(software.amazon.jdbc.Driver.class.getName());
                return pool;
            }
        };

        /** An option of the driver. */
        private final String option;

        Reach(String option) {
            this.option = option;
        }

        DataSource open(String url) {
            return hikari(url + "&" + option);
        }

        private static HikariDataSource hikari(String url) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setMaximumPoolSize(THREADS);
            return pool;
        }
    }

    private static final DelegatingDataSource switched = new DelegatingDataSource();

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp elsewhere;

    private final Reach reach;
    private final Counter counter = app.counter;
    private final Accounts accounts = app.bean(Accounts.class);
    private final Accounts accountsElsewhere = elsewhere.bean(Accounts.class);

    @SuppressWarnings("NullAway.Init")
    private CountedTable counted;

    @SuppressWarnings("NullAway.Init")
    private JdbcClient jdbc;

    @SuppressWarnings("NullAway.Init")
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
        return CountingApp.start(
                directory, new String[] {"fbf.mode=ledger", ConstantsOfTheTest.UNREGISTERED}, context -> {
                    CountingApp.addTo(context, dataSource);
                    context.registerBean(Accounts.class, () -> new Accounts(dataSource));
                });
    }

    @AfterAll
    static void stop() {
        app.close();
        elsewhere.close();
    }

    @BeforeParameterizedClassInvocation
    static void open(Reach reach) {
        switched.setTargetDataSource(reach.open(PostgresExtension.url("postgres")));
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
    void whileTheMethodRunsNothingIsEntered() throws Exception {
        counter.runInSqlOnly("a", () -> {
            count();
            assertThat(jdbc.sql("""
                            SELECT count(*) FROM pg_locks
                            WHERE pid = pg_backend_pid() AND relation = 'fbf_ledger'::regclass
                            """).query(Long.class).single()).isZero();
        });

        assertThat(entered()).isEqualTo(1);
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
    void aDebitThatEmptiedTheAccountElsewhereIsARetryAndNoFailure() {
        assertThat(accountsElsewhere.debit("a")).isEqualTo("debited");

        assertThat(accounts.debit("a")).isEqualTo("debited before");
        assertThatThrownBy(() -> accounts.debit("b")).hasMessage("the account is empty");
        assertThat(balance()).isZero();
    }

    @Test
    void aDebitThatEmptiesTheAccountElsewhereMeanwhileIsARetryAndNoFailure() throws Exception {
        assertThat(accounts.debitAfterARead("a", () -> debitElsewhere("a"))).isEqualTo("debited before");

        assertThat(balance()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"REPEATABLE_READ", "SERIALIZABLE"})
    void aConflictWithTheSameOperationElsewhereIsARetryAndNoConflict(Isolation isolation) throws Exception {
        outside.sql("UPDATE account SET balance = 5").update();
        Accounts.Meanwhile meanwhile = () -> debitElsewhere("a");

        assertThat(
                        isolation == Isolation.SERIALIZABLE
                                ? accounts.debitSerializably("a", meanwhile)
                                : accounts.debitRepeatably("a", meanwhile))
                .isEqualTo("debited before");

        assertThat(balance()).isEqualTo(4);
    }

    @Test
    void aConflictWithAnotherOperationIsAConflict() throws Exception {
        outside.sql("UPDATE account SET balance = 5").update();

        assertThatThrownBy(() -> accounts.debitRepeatably("a", () -> debitElsewhere("b")));

        assertThat(accounts.debitRepeatably("a", () -> {})).isEqualTo("debited");
        assertThat(balance()).isEqualTo(3);
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

    /** The method's connection and statements are those of the pool, and the driver's own below them. */
    @Test
    void nothingOfFbfIsBetweenTheMethodAndItsPool() throws Exception {
        Class<?> connectionType;
        Class<?> statementType;
        try (Connection plain = switched.getConnection();
                PreparedStatement statement = plain.prepareStatement("SELECT 1")) {
            connectionType = plain.getClass();
            statementType = statement.getClass();
        }

        counter.runInSqlOnly("a", () -> {
            Connection connection = DataSourceUtils.getConnection(switched);
            assertThat(connection.getClass()).isEqualTo(connectionType);
            try (PreparedStatement statement = connection.prepareStatement("UPDATE counted SET value = value + 1")) {
                assertThat(statement.getClass()).isEqualTo(statementType);
                statement.executeUpdate();
            }
            if (connection.isWrapperFor(PGConnection.class)) {
                connection.unwrap(PGConnection.class).addDataType("any", org.postgresql.util.PGobject.class);
            }
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(elsewhere.counter.countInSqlOnly("a")).isEqualTo("counted before: a");
    }

    @Test
    void theSqlOfADriversOwnConnectionIsRolledBackAsWell() throws Exception {
        assertThat(counter.runInSqlOnly("a", () -> {
                    Connection connection = DataSourceUtils.getConnection(switched);
                    Connection drivers = connection.isWrapperFor(PGConnection.class)
                            ? (Connection) connection.unwrap(PGConnection.class)
                            : connection;
                    elsewhere("a");
                    try (PreparedStatement statement =
                            drivers.prepareStatement("UPDATE counted SET value = value + 1")) {
                        statement.executeUpdate();
                    }
                }))
                .isEqualTo("run before: a");

        assertThat(counted.value()).isEqualTo(1);
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
        ConcurrentCall.start(() -> accountsElsewhere.debit(key)).get();
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

    private int balance() {
        return outside.sql("SELECT balance FROM account").query(Integer.class).single();
    }

    private long entered() {
        return outside.sql("SELECT count(*) FROM fbf_ledger").query(Long.class).single();
    }

    static class Accounts {

        interface Meanwhile {
            void run() throws Exception;
        }

        private final JdbcClient jdbc;

        Accounts(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "before",
                sqlOnly = true)
        public String debit(String key) {
            return debit();
        }

        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "beforeIt",
                sqlOnly = true)
        public String debitAfterARead(String key, Meanwhile meanwhile) throws Exception {
            balance();
            meanwhile.run();
            return debit();
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "beforeIt",
                sqlOnly = true)
        public String debitRepeatably(String key, Meanwhile meanwhile) throws Exception {
            balance();
            meanwhile.run();
            return debit();
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "beforeIt",
                sqlOnly = true)
        public String debitSerializably(String key, Meanwhile meanwhile) throws Exception {
            balance();
            meanwhile.run();
            return debit();
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String before(String key) {
            return "debited before";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String beforeIt(String key, Meanwhile meanwhile) {
            return "debited before";
        }

        private String debit() {
            if (balance() == 0) {
                throw new IllegalStateException("the account is empty");
            }
            jdbc.sql("UPDATE account SET balance = balance - 1").update();
            return "debited";
        }

        private int balance() {
            return jdbc.sql("SELECT balance FROM account").query(Integer.class).single();
        }
    }
}
