package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Version;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Entities that are written when their transaction is about to commit. */
@ExtendWith(PostgresExtension.class)
class JpaTest {

    private static final int THREADS = 8;
    private static final int CALLS = 25;

    private static CountingApp app;
    private static Badges badges;

    private CountedTable counted;
    private JdbcClient jdbc;

    @BeforeEach
    void makeTables(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS badge").update();
        jdbc.sql("CREATE TABLE badge (id bigint PRIMARY KEY, name text UNIQUE)").update();
        jdbc.sql("DROP TABLE IF EXISTS page").update();
        jdbc.sql("CREATE TABLE page (id bigint PRIMARY KEY, version bigint NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO page VALUES (1, 0)").update();
    }

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.start(directory, new String[0], context -> {
            context.registerBean(DataSource.class, () -> dataSource);
            Jpa.addTo(context, dataSource, Badge.class, Page.class);
            context.registerBean(Counter.class, () -> new Counter(dataSource));
            context.registerBean(Badges.class, () -> new Badges(context.getBean(EntityManagerFactory.class)));
        });
        badges = app.bean(Badges.class);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aViolatedConstraintLeavesNothingInDoubt(boolean callersTransaction) {
        badges.add("first", 1, "gold");
        Map<String, Long> tokens = counted.tokens();
        Runnable second = () -> badges.add("second", 2, "gold");

        assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> {
            if (callersTransaction) {
                app.transaction.executeWithoutResult(status -> second.run());
            } else {
                second.run();
            }
        });

        // a fence leaves its token
        assertThat(counted.tokens()).isEqualTo(tokens);
        badges.add("second", 2, "silver");
        assertThat(names()).isEqualTo(2);
    }

    /** JPA updates and checks it within its COMMIT, when all listeners have been told of that. */
    @Test
    void aVersionThatIsOutOfDateAtCommitRollsBackTheOperation() {
        Runnable change = () -> app.requiresNew()
                .executeWithoutResult(status ->
                        jdbc.sql("UPDATE page SET version = version + 1").update());

        assertThatExceptionOfType(OptimisticLockingFailureException.class)
                .isThrownBy(() -> badges.addToPage("first", 1, change));

        assertThat(names()).isZero();
        badges.addToPage("first", 1, () -> {});
        assertThat(names()).isEqualTo(1);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void manyThreadsShareASmallPoolThatKnowsTheTransaction(Mode mode, DataSource dataSource, @TempDir Path directory) {
        CountedTable counted = CountedTable.makeIn(dataSource);
        HikariDataSource pool = Pools.of(dataSource, 3);
        pool.setConnectionTimeout(5_000);
        try (pool;
                CountingApp app = startAware(mode, directory, pool)) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<CompletableFuture<Void>> callers = IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.runAsync(() -> count(app.counter, thread), threads))
                    .toList();
            callers.forEach(CompletableFuture::join);
            threads.shutdownNow();

            assertThat(counted.value()).isEqualTo(THREADS * CALLS);
            assertThat(app.held()).isZero();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** A second one is what a pool under load does not have. */
    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void aGuardedCallTakesOneConnection(Mode mode, DataSource dataSource, @TempDir Path directory) {
        CountedTable.makeIn(dataSource);
        Thread caller = Thread.currentThread();
        AtomicInteger taken = new AtomicInteger();
        DataSource counting = new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                taken.addAndGet(Thread.currentThread().equals(caller) ? 1 : 0);
                return super.getConnection();
            }
        };
        try (CountingApp app = startAware(mode, directory, counting)) {
            taken.set(0);

            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(taken).hasValue(1);
            assertThat(app.counter.countTransactionally("b")).isEqualTo("counted");
            assertThat(taken).hasValue(2);
        }
    }

    /** With open-in-view, a request's entity manager keeps its connection. The other call holds the only permit: one connection is fbf's. */
    @ParameterizedTest
    @EnumSource
    void aRequestThatKeepsAConnectionDoesNotWaitForAnotherCall(
            Mode mode, DataSource dataSource, @TempDir Path directory) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        HikariDataSource pool = Pools.of(dataSource, 2);
        pool.setConnectionTimeout(1_000);
        String[] properties = {"fbf.mode=" + mode, ConstantsOfTheTest.UNREGISTERED};
        try (pool;
                CountingApp app = CountingApp.start(directory, properties, context -> {
                    context.registerBean(DataSource.class, () -> pool);
                    Jpa.addTo(context, pool);
                    context.registerBean(Counter.class, () -> new Counter(pool));
                    context.registerBean(
                            DataSourcePoolMetadataProvider.class, () -> any -> new HikariDataSourcePoolMetadata(pool));
                })) {
            EntityManagerFactory entities = app.bean(EntityManagerFactory.class);
            EntityManager view = entities.createEntityManager();
            TransactionSynchronizationManager.bindResource(entities, new EntityManagerHolder(view));
            try {
                app.transaction.executeWithoutResult(
                        status -> view.createNativeQuery("SELECT 1").getSingleResult());
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
                CompletableFuture<String> other = ConcurrentCall.start(() -> {
                    app.counter.passAnd("slow", () -> {
                        entered.countDown();
                        end.await();
                    });
                    return "passed";
                });
                entered.await();

                assertThat(app.counter.count("a")).isEqualTo("counted");

                end.countDown();
                other.get();
            } finally {
                end.countDown();
                TransactionSynchronizationManager.unbindResource(entities);
                view.close();
            }
        }
    }

    /** JPA over a data source bean that hands out the connection of the transaction by itself. */
    private static CountingApp startAware(Mode mode, Path directory, DataSource dataSource) {
        DataSource aware = new TransactionAwareDataSourceProxy(dataSource);
        String[] properties = {"fbf.mode=" + mode, ConstantsOfTheTest.UNREGISTERED};
        return CountingApp.start(directory, properties, context -> {
            context.registerBean("dataSource", DataSource.class, () -> aware);
            Jpa.addTo(context, aware, Badge.class);
            context.registerBean(Counter.class, () -> new Counter(aware));
        });
    }

    private static void count(Counter counter, int thread) {
        for (int call = 0; call < CALLS; call++) {
            String key = thread + "/" + call;
            assertThat(call % 2 == 0 ? counter.count(key) : counter.countTransactionally(key))
                    .isEqualTo("counted");
            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
        }
    }

    private long names() {
        return jdbc.sql("SELECT count(*) FROM badge").query(Long.class).single();
    }

    static class Badges {

        private final EntityManager entities;

        Badges(EntityManagerFactory factory) {
            entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @IdempotentIncrement(scope = "badges", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void add(String key, long id, String name) {
            entities.persist(new Badge(id, name));
        }

        @IdempotentIncrement(scope = "badges", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void addToPage(String key, long id, Runnable meanwhile) {
            entities.find(Page.class, 1L, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
            entities.persist(new Badge(id, "gold"));
            meanwhile.run();
        }
    }

    @Entity(name = "page")
    @SuppressWarnings("UnusedVariable") // JPA reads them
    static class Page {

        @Id
        private long id;

        @Version
        private long version;
    }

    @Entity(name = "badge")
    @SuppressWarnings("UnusedVariable") // JPA reads them
    static class Badge {

        @Id
        private long id;

        private @Nullable String name;

        protected Badge() {}

        Badge(long id, String name) {
            this.id = id;
            this.name = name;
        }
    }
}
