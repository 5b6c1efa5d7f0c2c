package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import jakarta.persistence.EntityManagerFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** JPA over a data source bean that hands out the connection of the transaction by itself. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class TransactionAwareDataSourceTest {

    private static final int THREADS = 8;
    private static final int CALLS = 25;

    @ParameterizedTest
    @EnumSource
    void manyThreadsShareASmallPool(Mode mode, DataSource dataSource, @TempDir Path directory) {
        CountedTable counted = CountedTable.makeIn(dataSource);
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(dataSource);
        pool.setMaximumPoolSize(3);
        pool.setConnectionTimeout(5_000);
        try (pool;
                CountingApp app = start(mode, directory, new TransactionAwareDataSourceProxy(pool))) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<CompletableFuture<Void>> callers = IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.runAsync(() -> count(app.counter, thread), threads))
                    .toList();
            callers.forEach(CompletableFuture::join);
            threads.shutdownNow();

            assertThat(counted.value()).isEqualTo(THREADS * CALLS);
            assertThat(app.status.all()).extracting(ScopeClaims::held).containsOnly(0);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** A second one is what a pool under load does not have. */
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
        try (CountingApp app = start(mode, directory, new TransactionAwareDataSourceProxy(counting))) {
            taken.set(0);

            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(taken).hasValue(1);
            assertThat(app.counter.countTransactionally("b")).isEqualTo("counted");
            assertThat(taken).hasValue(2);
        }
    }

    private static CountingApp start(Mode mode, Path directory, DataSource aware) {
        return CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            context.registerBean("dataSource", DataSource.class, () -> aware);
            context.registerBean(LocalContainerEntityManagerFactoryBean.class, () -> entities(aware));
            context.registerBean(
                    "transactions",
                    PlatformTransactionManager.class,
                    () -> new JpaTransactionManager(context.getBean(EntityManagerFactory.class)));
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

    private static LocalContainerEntityManagerFactoryBean entities(DataSource dataSource) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(dataSource);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(PersistenceManagedTypes.of(JpaTest.Badge.class.getName()));
        return factory;
    }
}
