package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
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
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/** Entities in two databases, each with JPA and a pool of its own: the first data source and manager are primary. */
@Tag("slow")
@ParameterizedClass
@MethodSource("modesAndPools")
@ExtendWith(PostgresExtension.class)
@SuppressWarnings("NullAway.Init") // set before the tests
class TwoJpaDatabasesTest {

    @TempDir
    private static Path temporary;

    private static HikariDataSource firstPool;
    private static HikariDataSource secondPool;
    private static CountingApp app;

    private CountedTable inFirst;
    private CountedTable inSecond;

    TwoJpaDatabasesTest(Mode mode, boolean autoCommit) {}

    static Stream<Arguments> modesAndPools() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(true, false).map(autoCommit -> Arguments.of(mode, autoCommit)));
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, boolean autoCommit, EmbeddedPostgres postgres) {
        firstPool = pool(PostgresExtension.newDatabase(postgres, "jpa_first"), autoCommit);
        secondPool = pool(PostgresExtension.newDatabase(postgres, "jpa_second"), autoCommit);
        Path directory = temporary.resolve(mode + "-" + autoCommit);
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            addDatabase(context, "first", firstPool, true);
            // as applications have it whose plain JDBC takes part in transactions of JPA
            addDatabase(context, "second", new TransactionAwareDataSourceProxy(secondPool), false);
            context.registerBean(
                    "blind",
                    PlatformTransactionManager.class,
                    () -> new BlindTransactions(context.getBean("secondEntities", EntityManagerFactory.class)));
            context.registerBean(Counter.class, () -> new Counter(firstPool));
            context.registerBean(
                    Second.class,
                    () -> new Second(context.getBean("secondEntities", EntityManagerFactory.class), secondPool));
        });
    }

    private static HikariDataSource pool(DataSource database, boolean autoCommit) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database);
        pool.setAutoCommit(autoCommit);
        pool.setMinimumIdle(0);
        return pool;
    }

    private static void addDatabase(
            AnnotationConfigApplicationContext context, String name, DataSource dataSource, boolean primary) {
        context.registerBean(
                name + "Database",
                DataSource.class,
                () -> dataSource,
                (BeanDefinition definition) -> definition.setPrimary(primary));
        context.registerBean(name + "Entities", LocalContainerEntityManagerFactoryBean.class, () -> {
            LocalContainerEntityManagerFactoryBean factory = Jpa.entities(dataSource);
            factory.setPersistenceUnitName(name);
            return factory;
        });
        context.registerBean(
                name,
                PlatformTransactionManager.class,
                () -> new JpaTransactionManager(context.getBean(name + "Entities", EntityManagerFactory.class)),
                (BeanDefinition definition) -> definition.setPrimary(primary));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        firstPool.close();
        secondPool.close();
    }

    @BeforeEach
    void count() {
        inFirst = CountedTable.makeIn(committing(firstPool));
        inSecond = CountedTable.makeIn(committing(secondPool));
    }

    private static DataSource committing(HikariDataSource pool) {
        return pool.getDataSource();
    }

    @Test
    void aKeySentThreeTimesIsAppliedOnceInTheDatabaseOfItsManager() {
        Second second = app.bean(Second.class);
        for (int i = 0; i < 3; i++) {
            second.count("own");
            second.countTransactionally("transactional");
            second.countInPlainJdbc("plain");
        }

        assertThat(inSecond.value()).isEqualTo(3);
        assertThat(inFirst.value()).isZero();
        assertThat(app.status.lostCommits()).isEmpty();
    }

    /** Another one would be asked for, and with autoCommit=false nobody would commit what is written there. */
    @Test
    void anOperationIsRefusedWhereTheConnectionOfTheTransactionIsNotKnown() {
        Second second = app.bean(Second.class);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> second.countBlindly("blind"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("transactionManager=blind")
                    .hasMessageContaining("secondDatabase")
                    .hasMessageContaining("was not applied");
        }

        assertThat(inSecond.value()).isZero();
    }

    static class Second {

        private final EntityManager entities;
        private final JdbcClient jdbc;

        Second(EntityManagerFactory factory, DataSource dataSource) {
            entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "second", key = "#key", transactionManager = "second")
        void count(String key) {
            add();
        }

        @Transactional("second")
        @IdempotentIncrement(scope = "second", key = "#key", transactionManager = "second")
        void countTransactionally(String key) {
            add();
        }

        @IdempotentIncrement(scope = "second", key = "#key", transactionManager = "second")
        void countInPlainJdbc(String key) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        }

        @IdempotentIncrement(scope = "blind", key = "#key", transactionManager = "blind")
        void countBlindly(String key) {
            add();
        }

        private void add() {
            entities.createNativeQuery("UPDATE counted SET value = value + 1").executeUpdate();
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
