package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.spring.Counters;
import dev.fbf.spring.CountersContract;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.method.CallerOfTheTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Counters in PostgreSQL keep the contract of all counters, in both modes, also in transactions and groups. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
@Timeout(60)
@SuppressWarnings("NullAway.Init") // set before the tests
class SqlCountersTest extends CountersContract {

    private static final ExecutorService callers = Executors.newFixedThreadPool(32);

    @TempDir
    private static Path directory;

    private static HikariDataSource pool;
    private static CountingApp app;
    private final Mode mode;
    private JdbcClient jdbc;
    private SqlCounters counters;
    private SqlCounters pages;
    private Methods methods;

    SqlCountersTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource) {
        JdbcClient database = JdbcClient.create(dataSource);
        database.sql("DROP TABLE IF EXISTS page").update();
        database.sql("CREATE TABLE page (name text PRIMARY KEY, views integer NOT NULL CHECK (views >= 0))")
                .update();
        startPooled(mode, dataSource);
    }

    /** The application closes its pool. */
    private static void startPooled(Mode mode, DataSource dataSource) {
        pool = Pools.of(dataSource, 4);
        pool.setConnectionTimeout(2_000);
        app = start(mode, pool, "one");
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("TRUNCATE fbf_counter, page").update();
        jdbc.sql("INSERT INTO page VALUES ('home', 0)").update();
        counters = app.bean("counters", SqlCounters.class);
        pages = app.bean("pages", SqlCounters.class);
        methods = app.bean(Methods.class);
    }

    private static CountingApp start(Mode mode, DataSource dataSource, String name, String... more) {
        String[] properties = Stream.concat(
                        Stream.of("fbf.mode=" + mode, "test.settle-timeout=5s", "fbf.retry-window=1m"), Stream.of(more))
                .toArray(String[]::new);
        return CountingApp.start(directory.resolve(mode + "-" + name), properties, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    "counters",
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class).build());
            context.registerBean(
                    "pages",
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class)
                            .scope(context.getEnvironment().getProperty("test.scope-of-pages", "pages"))
                            .table("page", "name", "views")
                            .build());
            context.registerBean(Views.class, () -> new Views(context.getBean("counters", SqlCounters.class)));
            context.registerBean(
                    Methods.class,
                    () -> new Methods(
                            context.getBean("counters", SqlCounters.class),
                            context.getBean(PlatformTransactionManager.class),
                            dataSource));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @AfterAll
    static void stopCallers() {
        callers.shutdownNow();
    }

    @Override
    protected Counters counters() {
        return counters;
    }

    @Override
    protected Counters ofAnotherScope() {
        return pages;
    }

    @Override
    protected Views views() {
        return app.bean(Views.class);
    }

    @Override
    protected Counters afterARestart() {
        app.close();
        startPooled(mode, pool.getDataSource());
        return app.bean("counters", SqlCounters.class);
    }

    @Test
    void countersOfOneScopeAreRefusedAtTheStart() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> start(mode, pool.getDataSource(), "equal", "test.scope-of-pages=counters"))
                .satisfies(failure -> {
                    FailureAnalysis analysis = FailureAnalyses.of(failure);
                    assertThat(analysis.getDescription()).contains("the scope counters");
                    assertThat(analysis.getAction()).contains("SqlCounters.Builder.scope");
                });
    }

    @Test
    void aTableThatCannotBeCountedInIsReportedAtTheStartThoughItsCountersAreMadeInAConstructor() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> CountingApp.start(
                        directory.resolve(mode.name()), new String[] {"fbf.mode=" + mode}, context -> {
                            context.registerBean("dataSource", DataSource.class, pool::getDataSource);
                            context.registerBean(
                                    PlatformTransactionManager.class,
                                    () -> new JdbcTransactionManager(pool.getDataSource()));
                            context.registerBean(
                                    Pages.class,
                                    () -> new Pages(context.getBean(SqlCounters.Builder.class), "nowhere"));
                        }))
                .withMessageStartingWith("table=nowhere: there is no such table on the search path");
    }

    /** Service whose counters are not a bean. */
    private static final class Pages {

        @SuppressWarnings("UnusedVariable")
        private final SqlCounters views;

        Pages(SqlCounters.Builder counters, String table) {
            views = counters.scope(table).table(table, "name", "views").build();
        }
    }

    @Test
    void aJobWithoutALoginRetriesWhatAUserAskedFor() {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("ada", "secret", "ROLE_USER"));
        try {
            counters.increment(key("key"), "home", 1);
        } finally {
            SecurityContextHolder.clearContext();
        }
        assertThat(counters.increment(key("key"), "home", 1)).isEqualTo(1);
    }

    @Test
    void aRetryGetsTheValueInATableOfTheApplication() {
        pages.increment(key("a"), "home", 2);
        pages.increment(key("b"), "home", 3);

        assertThat(pages.increment(key("a"), "home", 2)).isEqualTo(5);
    }

    @Test
    void aRetryWhoseTableIsGoneFailsWithoutTheCountersOfOtherTables() {
        pages.increment(key("a"), "home", 2);
        jdbc.sql("ALTER TABLE page RENAME TO page_elsewhere").update();
        try {
            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> pages.increment(key("a"), "home", 2))
                    .havingRootCause()
                    .withMessageContaining("\"page\"");
            assertThat(counters.increment(key("b"), "home", 1)).isEqualTo(1);
        } finally {
            jdbc.sql("ALTER TABLE page_elsewhere RENAME TO page").update();
        }
        assertThat(pages.increment(key("a"), "home", 2)).isEqualTo(2);
    }

    @Test
    void manyCallersTakeFewTransactions() throws Exception {
        long before = transactions();

        together(640, i -> counters.increment(key("key" + i), "home", 1));

        assertThat(transactions() - before).isLessThan(320);
    }

    @Test
    void whoWaitsForOthersTakesNoConnection() throws Exception {
        List<Future<Long>> waiting = new ArrayList<>();
        app.newTransaction().executeWithoutResult(status -> {
            counters.increment(key("first"), "home", 1);
            for (int i = 0; i < 20; i++) {
                IdempotencyKey key = key("key" + i);
                waiting.add(callers.submit(() -> counters.increment(key, "home", 1)));
            }
            Awaitility.await().until(() -> app.held() == 21);

            // one of this transaction, one of the group, and for moments those that fbf's own threads poll with
            Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() <= 2 && app.held() == 21);
        });
        for (Future<Long> each : waiting) {
            assertThat(each.get()).isBetween(2L, 21L);
        }
    }

    @Test
    void afterOtherSqlTheIncrementIsPartOfTheTransaction() {
        assertThatIllegalStateException().isThrownBy(() -> methods.writeCountAndFail("a", "home"));
        assertThat(counters.value("home")).isEmpty();
        assertThat(page("home")).isZero();

        assertThat(methods.writeAndCount("a", "home")).isEqualTo(1);

        assertThat(counters.value("home")).hasValue(1);
        assertThat(page("home")).isEqualTo(1);
        assertThat(methods.writeAndCount("a", "home")).isEqualTo(-1);
    }

    /** It would be committed apart from the method. */
    @Test
    void outsideOfTheMethodsTransactionAnIncrementIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> methods.countOutside("a", "home"))
                .withMessageContaining("would be committed separately. The increment was not applied.");

        assertThat(counters.value("home")).isEmpty();
    }

    @Test
    void whoReadsInATransactionSeesWhatThatHasAdded() {
        app.transaction.executeWithoutResult(status -> {
            counters.increment(key("key"), "home", 3);

            assertThat(counters.value("home")).hasValue(3);
            assertThat(counters.values(List.of("home"))).isEqualTo(Map.of("home", 3L));
        });
    }

    @Test
    void whatCannotBeDoneIsSaidAndTheOperationIsNewAgain() {
        assertThatExceptionOfType(UnknownCounterException.class)
                .isThrownBy(() -> pages.increment(key("key"), "nowhere", 1))
                .withMessageContaining("counter=nowhere");
        assertThatExceptionOfType(UnknownCounterException.class)
                .isThrownBy(() -> pages.increment(key("key"), Map.of("home", 1L, "nowhere", 1L)));
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> pages.increment(key("key"), "home", -1))
                .withMessageContaining("page_views_check");
        assertThat(pages.increment(key("key"), "home", 1)).isEqualTo(1);
        assertThat(pages.increment(key("other"), "home", -1)).isZero();
        assertThat(counters.increment(key("key"), "home", 1)).isEqualTo(1);
    }

    private long transactions() {
        return jdbc.sql("SELECT txid_current()").query(Long.class).single();
    }

    private long page(String name) {
        return jdbc.sql("SELECT views FROM page WHERE name = ?")
                .param(name)
                .query(Long.class)
                .single();
    }

    /** Annotated methods; -1 stands for a retry. */
    static class Methods {

        private final SqlCounters counters;
        private final PlatformTransactionManager manager;
        private final JdbcClient jdbc;

        Methods(SqlCounters counters, PlatformTransactionManager manager, DataSource dataSource) {
            this.counters = counters;
            this.manager = manager;
            this.jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "views", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void writeCountAndFail(String key, String page) {
            write(page);
            counters.increment(page);
            throw new IllegalStateException("changed my mind");
        }

        @IdempotentIncrement(scope = "views", key = "#key", caller = CallerOfTheTest.EXPRESSION, onDuplicate = "before")
        long writeAndCount(String key, String page) {
            write(page);
            return counters.increment(page);
        }

        @IdempotentIncrement(scope = "views", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void countOutside(String key, String page) {
            TransactionTemplate outside = new TransactionTemplate(manager);
            outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            outside.executeWithoutResult(status -> counters.increment(page));
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name
        private long before(String key, String page) {
            return -1;
        }

        private void write(String page) {
            jdbc.sql("UPDATE page SET views = views + 1 WHERE name = ?")
                    .param(page)
                    .update();
        }
    }
}
