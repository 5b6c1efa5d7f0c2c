package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Entities that are written when their transaction is about to commit: operations are entered before, or with {@code sqlOnly} after that. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
@SuppressWarnings("NullAway.Init") // set before the tests
class JpaTest {

    private static CountingApp app;

    private final Mode mode;
    private final Accounts accounts = app.bean(Accounts.class);
    private CountedTable counted;
    private JdbcClient jdbc;

    JpaTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        CountedTable.makeIn(dataSource);
        app = startNode(mode, dataSource, directory);
    }

    private static CountingApp startNode(Mode mode, DataSource dataSource, Path directory) {
        String[] properties = {"fbf.mode=" + mode, ConstantsOfTheTest.UNREGISTERED};
        return CountingApp.start(directory, properties, context -> {
            context.registerBean("dataSource", DataSource.class, () -> dataSource);
            Jpa.addTo(context, dataSource, Account.class);
            context.registerBean(Counter.class, () -> new Counter(dataSource));
            context.registerBean(Accounts.class, () -> new Accounts(context.getBean(EntityManagerFactory.class)));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @BeforeEach
    void makeTables(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("""
                        DROP TABLE IF EXISTS child, account;
                        CREATE TABLE account (
                        id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0), version int NOT NULL);
                        INSERT INTO account VALUES (1, 1, 0)
                        """).update();
    }

    @Test
    void aFlushThatFailsLeavesNothingInDoubt() {
        accounts.debit("a", () -> {});
        Map<String, Long> tokens = counted.tokens();

        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> accounts.debit("b", () -> {}));

        // a fence leaves its token
        assertThat(counted.tokens()).isEqualTo(tokens);
        jdbc.sql("UPDATE account SET balance = 5").update();
        assertThat(accounts.debit("b", () -> {})).isEqualTo("debited");
        assertThat(accounts.debit("b", () -> {})).isEqualTo("debited before");
        assertThat(balance()).isEqualTo(4);
    }

    @Test
    void aVersionThatIsOutOfDateRollsBackTheOperation() {
        assertThatExceptionOfType(OptimisticLockingFailureException.class)
                .isThrownBy(() -> accounts.debit("a", this::changeVersion));

        assertThat(balance()).isEqualTo(1);
        assertThat(accounts.debit("a", () -> {})).isEqualTo("debited");
        assertThat(balance()).isZero();
    }

    private void changeVersion() {
        app.requiresNew()
                .executeWithoutResult(status ->
                        jdbc.sql("UPDATE account SET version = version + 1").update());
    }

    @Test
    void aFailureOfSqlOnlyOnTheNewStateIsARetryIfAnotherNodeHasAppliedTheOperation(
            DataSource dataSource, @TempDir Path directory) {
        assumeTrue(mode == Mode.LEDGER);
        try (CountingApp elsewhere = startNode(mode, dataSource, directory)) {
            elsewhere.bean(Accounts.class).debitInSqlOnly("a", () -> {});

            assertThat(accounts.debitInSqlOnly("a", () -> {})).isEqualTo("debited before");
            assertThatExceptionOfType(DataIntegrityViolationException.class)
                    .isThrownBy(() -> accounts.debitInSqlOnly("b", () -> {}));
            assertThat(balance()).isZero();
        }
    }

    /** A second one is what a pool under load does not have. */
    @Test
    void aGuardedCallTakesOneConnectionThoughTheBeanHandsOutTheTransactionsOwn(
            DataSource dataSource, @TempDir Path directory) {
        Thread caller = Thread.currentThread();
        AtomicInteger taken = new AtomicInteger();
        DataSource counting = new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                taken.addAndGet(Thread.currentThread().equals(caller) ? 1 : 0);
                return super.getConnection();
            }
        };
        try (CountingApp its = startNode(mode, new TransactionAwareDataSourceProxy(counting), directory)) {
            taken.set(0);

            assertThat(its.counter.count("a")).isEqualTo("counted");
            assertThat(taken).hasValue(1);
            assertThat(its.counter.countTransactionally("b")).isEqualTo("counted");
            assertThat(taken).hasValue(2);
        }
    }

    private int balance() {
        return jdbc.sql("SELECT balance FROM account").query(Integer.class).single();
    }

    static class Accounts {

        private final EntityManager entities;

        Accounts(EntityManagerFactory factory) {
            entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "before")
        public String debit(String key, Runnable meanwhile) {
            Account account = entities.find(Account.class, 1);
            meanwhile.run();
            account.balance--;
            return "debited";
        }

        @IdempotentIncrement(
                scope = "accounts",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "before",
                sqlOnly = true)
        public String debitInSqlOnly(String key, Runnable meanwhile) {
            return debit(key, meanwhile);
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String before(String key, Runnable meanwhile) {
            return "debited before";
        }
    }

    @Entity(name = "account")
    @SuppressWarnings("UnusedVariable") // JPA reads them
    static class Account {

        @Id
        private int id;

        private int balance;

        @Version
        private int version;
    }
}
