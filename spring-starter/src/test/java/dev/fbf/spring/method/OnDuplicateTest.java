package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The method that responds to retries, which may be one that a proxy cannot pass on to its bean. */
@ExtendWith(PostgresExtension.class)
class OnDuplicateTest {

    @TempDir
    private static Path directory;

    private static CountingApp app;

    @BeforeAll
    static void start(DataSource dataSource) {
        app = CountingApp.start(directory, new String[] {}, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(Shop.class, () -> new Shop("tea"));
        });
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** Each method of a Kotlin class is final, unless a plugin opens it. */
    @Test
    void mayBeFinal() {
        assertThat(app.bean(Shop.class).sell("a")).isEqualTo("tea");
        assertThat(app.bean(Shop.class).sell("a")).isEqualTo("tea before");
    }

    @Test
    void mayBePrivate() {
        assertThat(app.bean(Shop.class).give("a")).isEqualTo("tea");
        assertThat(app.bean(Shop.class).give("a")).isEqualTo("tea before");
    }

    @Test
    void keepsItsOwnAnnotationsWhereItCanBePassedOn() {
        assertThat(app.bean(Shop.class).lend("a")).isFalse();
        assertThat(app.bean(Shop.class).lend("a")).isTrue();
    }

    static class Shop {

        private final String goods;

        Shop(String goods) {
            this.goods = goods;
        }

        @IdempotentIncrement(scope = "sell", key = "#key", onDuplicate = "soldBefore")
        String sell(String key) {
            return goods;
        }

        final String soldBefore(String key) {
            return goods.concat(" before");
        }

        @IdempotentIncrement(scope = "give", key = "#key", onDuplicate = "givenBefore")
        String give(String key) {
            return goods;
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, as the retry of give
        private String givenBefore(String key) {
            return goods.concat(" before");
        }

        @IdempotentIncrement(scope = "lend", key = "#key", onDuplicate = "lentBefore")
        boolean lend(String key) {
            return false;
        }

        @Transactional
        boolean lentBefore(String key) {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }
}
