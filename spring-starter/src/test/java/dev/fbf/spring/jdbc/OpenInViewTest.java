package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A request with an entity manager of its own, which keeps its connection between transactions: spring.jpa.open-in-view. */
@ExtendWith(PostgresExtension.class)
class OpenInViewTest {

    private HikariDataSource pool;

    @BeforeEach
    void fill(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        pool = Pools.of(dataSource, 2);
        pool.setConnectionTimeout(1_000);
    }

    @AfterEach
    void drain() {
        pool.close();
    }

    /** The other call holds the only permit: the pool's second connection is left to fbf. */
    @ParameterizedTest
    @EnumSource
    void doesNotWaitForAnotherCallWhileItKeepsAConnection(Mode mode, @TempDir Path directory) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (CountingApp app = start(mode, directory)) {
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

    private CountingApp start(Mode mode, Path directory) {
        return CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            context.registerBean(DataSource.class, () -> pool);
            Jpa.addTo(context, pool);
            context.registerBean(Counter.class, () -> new Counter(pool));
            context.registerBean(
                    DataSourcePoolMetadataProvider.class, () -> any -> new HikariDataSourcePoolMetadata(pool));
        });
    }
}
