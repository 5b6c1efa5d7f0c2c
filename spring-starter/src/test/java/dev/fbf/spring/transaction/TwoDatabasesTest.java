package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Counters in two databases, each with a transaction manager of its own: the first is primary. */
@ExtendWith(PostgresExtension.class)
class TwoDatabasesTest {

    @TempDir
    private static Path directory;

    private static FragileDataSource firstDatabase;
    private static FragileDataSource secondDatabase;
    private static CountingApp app;
    private static Second second;
    private static TransactionTemplate inSecond;

    private CountedTable inFirst;
    private CountedTable counted;

    @BeforeAll
    static void start(EmbeddedPostgres postgres) {
        firstDatabase = new FragileDataSource(PostgresExtension.newDatabase(postgres, "first"));
        secondDatabase = new FragileDataSource(PostgresExtension.newDatabase(postgres, "second"));
        app = CountingApp.start(directory, new String[0], context -> {
            context.registerBean("firstDatabase", DataSource.class, () -> firstDatabase);
            context.registerBean("secondDatabase", DataSource.class, () -> secondDatabase);
            context.registerBean(
                    "first",
                    PlatformTransactionManager.class,
                    () -> new JdbcTransactionManager(firstDatabase),
                    (BeanDefinition definition) -> definition.setPrimary(true));
            context.registerBean(
                    "second", PlatformTransactionManager.class, () -> new JdbcTransactionManager(secondDatabase));
            context.registerBean(Counter.class, () -> new Counter(firstDatabase));
            context.registerBean(Second.class, () -> new Second(new Counter(secondDatabase)));
            context.registerBean(Qualified.class, () -> new Qualified(new Counter(secondDatabase)));
        });
        second = app.bean(Second.class);
        inSecond = new TransactionTemplate(app.bean("second", PlatformTransactionManager.class));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void count() {
        inFirst = CountedTable.makeIn(firstDatabase);
        counted = CountedTable.makeIn(secondDatabase);
    }

    @Test
    void anOperationIsAppliedInTheDatabaseOfItsTransactionManager() {
        Map<String, Long> first = inFirst.tokens();
        assertThat(second.count("own")).isEqualTo("counted");
        assertThat(second.count("own")).isEqualTo("counted before");
        assertThat(second.countTransactionally("transactional")).isEqualTo("counted");
        assertThat(second.countTransactionally("transactional")).isEqualTo("counted before");

        assertThat(counted.value()).isEqualTo(2);
        assertThat(inFirst.value()).isZero();
        assertThat(inFirst.tokens()).isEqualTo(first);
        assertThat(counted.tokens()).isNotEmpty();
    }

    @Test
    void theRollbackOfItsOwnManagersTransactionFreesTheOperation() {
        inSecond.executeWithoutResult(status -> {
            second.count("a rolled back one");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(second.count("a rolled back one")).isEqualTo("counted");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOtherManagersTransactionDecidesNothing(boolean transactional) {
        String key = "within the other's, " + transactional;
        app.transaction.executeWithoutResult(status -> {
            app.counter.count("other, " + transactional);
            assertThat(transactional ? second.countTransactionally(key) : second.count(key))
                    .isEqualTo("counted");
            // applied already
            assertThat(second.count(key)).isEqualTo("counted before");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(inFirst.value()).isZero();
        assertThat(second.count(key)).isEqualTo("counted before");
        assertThat(app.counter.count("other, " + transactional)).isEqualTo("counted");
    }

    @Test
    void aCommitInDoubtIsSettledInItsDatabaseThoughTheOtherIsDown() {
        firstDatabase.cutOff();
        secondDatabase.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        assertThat(second.count("in doubt")).isEqualTo("counted");
        firstDatabase.reconnect();

        assertThat(second.count("in doubt")).isEqualTo("counted before");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aMethodInATransactionThatTheManagerDidNotBeginIsRefused() {
        assertThatThrownBy(() -> new TransactionTemplate(new JdbcTransactionManager(firstDatabase))
                        .execute(status -> app.counter.count("a foreign one")))
                .hasMessageContaining("it did not begin this thread's transaction");

        assertThat(app.counter.count("a foreign one")).isEqualTo("counted");
    }

    /** Spring's advice follows the qualifier of the class: the operation would be recorded in the first database. */
    @Test
    void aMethodWhoseOwnTransactionIsOfTheOtherManagerIsRefused() {
        Qualified qualified = app.bean(Qualified.class);

        assertThatThrownBy(() -> qualified.count("apart"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not of the operation's transaction manager");

        assertThat(counted.value()).isZero();
        assertThat(inFirst.value()).isZero();
        assertThat(app.held()).isZero();
    }

    @Qualifier("second") static class Qualified {

        private final Counter counter;

        Qualified(Counter unguarded) {
            counter = unguarded;
        }

        @Transactional
        @IdempotentIncrement(scope = "qualified", key = "#key")
        public String count(String key) {
            return counter.count(key);
        }
    }

    /** Counts in the second database. */
    static class Second {

        private final Counter counter;

        Second(Counter unguarded) {
            counter = unguarded;
        }

        @IdempotentIncrement(scope = "second", key = "#key", onDuplicate = "before", transactionManager = "second")
        String count(String key) {
            return counter.count(key);
        }

        @Transactional("second")
        @IdempotentIncrement(scope = "second", key = "#key", onDuplicate = "before", transactionManager = "second")
        String countTransactionally(String key) {
            return counter.count(key);
        }

        String before(String key) {
            return "counted before";
        }
    }
}
