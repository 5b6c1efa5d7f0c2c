package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Counters in two databases, each with a transaction manager of its own: JDBC's is primary, the other one is JPA's. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
@SuppressWarnings("NullAway.Init") // set before the tests
class TwoDatabasesTest {

    @TempDir
    private static Path directory;

    private static DataSource firstDatabase;
    private static DataSource secondDatabase;
    private static CountingApp app;

    private final Second second = app.bean(Second.class);
    private CountedTable inFirst;
    private CountedTable counted;

    @SuppressWarnings("UnusedVariable") // the application has it
    TwoDatabasesTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, EmbeddedPostgres postgres) {
        firstDatabase = PostgresExtension.newDatabase(postgres, "first");
        secondDatabase = PostgresExtension.newDatabase(postgres, "second");
        // as applications have it whose plain JDBC takes part in transactions of JPA
        DataSource aware = new TransactionAwareDataSourceProxy(secondDatabase);
        app = CountingApp.start(directory.resolve(mode.name()), new String[] {"fbf.mode=" + mode}, context -> {
            context.registerBean("firstDatabase", DataSource.class, () -> firstDatabase);
            context.registerBean("secondDatabase", DataSource.class, () -> aware);
            context.registerBean(LocalContainerEntityManagerFactoryBean.class, () -> Jpa.entities(aware));
            context.registerBean(
                    "first",
                    PlatformTransactionManager.class,
                    () -> new JdbcTransactionManager(firstDatabase),
                    (BeanDefinition definition) -> definition.setPrimary(true));
            context.registerBean(
                    "second",
                    PlatformTransactionManager.class,
                    () -> new JpaTransactionManager(context.getBean(EntityManagerFactory.class)));
            context.registerBean(
                    "blind",
                    PlatformTransactionManager.class,
                    () -> new BlindTransactions(context.getBean(EntityManagerFactory.class)));
            context.registerBean(Counter.class, () -> new Counter(firstDatabase));
            context.registerBean(
                    Second.class,
                    () -> new Second(new Counter(secondDatabase), context.getBean(EntityManagerFactory.class)));
            context.registerBean(Qualified.class, () -> new Qualified(new Counter(secondDatabase)));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @BeforeEach
    void count() {
        inFirst = CountedTable.makeIn(firstDatabase);
        counted = CountedTable.makeIn(secondDatabase);
    }

    @Test
    void anOperationIsAppliedOnceInTheDatabaseOfItsTransactionManager() {
        for (String expected : new String[] {"counted", "counted before", "counted before"}) {
            assertThat(second.count("plain")).isEqualTo(expected);
            assertThat(second.countTransactionally("transactional")).isEqualTo(expected);
            assertThat(second.countEntities("jpa")).isEqualTo(expected);
        }

        assertThat(counted.value()).isEqualTo(3);
        assertThat(inFirst.value()).isZero();
        assertThat(app.status.lostCommits()).isEmpty();
    }

    @Test
    void theRollbackOfItsOwnManagersTransactionFreesTheOperation() {
        new TransactionTemplate(app.bean("second", PlatformTransactionManager.class)).executeWithoutResult(status -> {
            second.count("a rolled back one");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(second.count("a rolled back one")).isEqualTo("counted");
    }

    @Test
    void theOtherManagersTransactionDecidesNothing() {
        app.transaction.executeWithoutResult(status -> {
            app.counter.count("other");
            assertThat(second.countTransactionally("inner")).isEqualTo("counted");
            // applied already
            assertThat(second.count("inner")).isEqualTo("counted before");
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(inFirst.value()).isZero();
        assertThat(second.count("inner")).isEqualTo("counted before");
        assertThat(app.counter.count("other")).isEqualTo("counted");
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
        app.transaction.executeWithoutResult(status -> assertThatThrownBy(() -> qualified.count("apart"))
                .hasMessageContaining("not of the operation's transaction manager"));

        assertThat(counted.value()).isZero();
        assertThat(app.held()).isZero();
    }

    /** Another one would be asked for, and in a pool without autocommit, what is written there would not be committed. */
    @Test
    void anOperationIsRefusedWhereTheConnectionOfTheTransactionIsNotKnown() {
        assertThatThrownBy(() -> second.countBlindly("blind"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("transactionManager=blind")
                .hasMessageContaining("was not applied");

        assertThat(counted.value()).isZero();
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
        private final EntityManager entities;

        Second(Counter unguarded, EntityManagerFactory factory) {
            counter = unguarded;
            entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
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

        @IdempotentIncrement(scope = "second", key = "#key", onDuplicate = "before", transactionManager = "second")
        String countEntities(String key) {
            entities.createNativeQuery("UPDATE counted SET value = value + 1").executeUpdate();
            return "counted";
        }

        @IdempotentIncrement(scope = "blind", key = "#key", transactionManager = "blind")
        void countBlindly(String key) {
            counter.count(key);
        }

        String before(String key) {
            return "counted before";
        }
    }

    /** A manager whose dialect does not show the connection of a transaction. */
    private static final class BlindTransactions extends JpaTransactionManager {

        private static final long serialVersionUID = 1L;

        BlindTransactions(EntityManagerFactory entities) {
            super(entities);
        }

        @Override
        public void afterPropertiesSet() {
            super.afterPropertiesSet(); // sets that of the entities
            setJpaDialect(new DefaultJpaDialect());
        }
    }
}
