package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Methods that only execute SQL, through JPA, which flushes when their transaction is about to commit: the row is entered after that. */
@ExtendWith(PostgresExtension.class)
class RowWithCommitJpaTest {

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp elsewhere;

    private final Accounts accounts = app.bean(Accounts.class);
    private final Accounts accountsElsewhere = elsewhere.bean(Accounts.class);

    @SuppressWarnings("NullAway.Init")
    private JdbcClient jdbc;

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        CountedTable.makeIn(dataSource);
        app = startNode(dataSource, directory.resolve("here"));
        elsewhere = startNode(dataSource, directory.resolve("elsewhere"));
    }

    private static CountingApp startNode(DataSource dataSource, Path directory) {
        return CountingApp.start(
                directory, new String[] {"fbf.mode=ledger", ConstantsOfTheTest.UNREGISTERED}, context -> {
                    context.registerBean(DataSource.class, () -> dataSource);
                    Jpa.addTo(context, dataSource, Account.class);
                    context.registerBean(Counter.class, () -> new Counter(dataSource));
                    context.registerBean(
                            Accounts.class, () -> new Accounts(context.getBean(EntityManagerFactory.class)));
                });
    }

    @AfterAll
    static void stop() {
        app.close();
        elsewhere.close();
    }

    @BeforeEach
    void makeTable(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("""
                DROP TABLE IF EXISTS child, account;
                CREATE TABLE account (
                  id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0), version int NOT NULL);
                INSERT INTO account VALUES (1, 1, 0)
                """).update();
    }

    @Test
    void anOperationIsAppliedOnce() throws Exception {
        assertThat(accounts.debit("a", () -> null)).isEqualTo("debited");
        assertThat(accounts.debit("a", () -> null)).isEqualTo("debited before");
        assertThat(accountsElsewhere.debit("a", () -> null)).isEqualTo("debited before");

        assertThat(balance()).isZero();
    }

    @Test
    void aFlushThatFailsOnTheNewStateIsARetryIfAnotherNodeHasAppliedTheOperation() throws Exception {
        accountsElsewhere.debit("a", () -> null);

        assertThat(accounts.debit("a", () -> null)).isEqualTo("debited before");
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> accounts.debit("b", () -> null));
        assertThat(balance()).isZero();
    }

    @Test
    void aVersionThatTheSameOperationHasChangedElsewhereIsARetry() throws Exception {
        jdbc.sql("UPDATE account SET balance = 5").update();

        assertThat(accounts.debit("a", () -> debitElsewhere("a"))).isEqualTo("debited before");

        assertThat(balance()).isEqualTo(4);
    }

    @Test
    void aVersionThatAnotherOperationHasChangedIsTheApplicationsOwnError() throws Exception {
        jdbc.sql("UPDATE account SET balance = 5").update();

        assertThatThrownBy(() -> accounts.debit("a", () -> debitElsewhere("b")))
                .isInstanceOf(OptimisticLockingFailureException.class);

        assertThat(accounts.debit("a", () -> null)).isEqualTo("debited");
        assertThat(balance()).isEqualTo(3);
    }

    private Object debitElsewhere(String key) throws Exception {
        return ConcurrentCall.start(() -> accountsElsewhere.debit(key, () -> null))
                .get();
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
                onDuplicate = "before",
                sqlOnly = true)
        public String debit(String key, Callable<Object> meanwhile) throws Exception {
            Account account = entities.find(Account.class, 1);
            meanwhile.call();
            account.balance--;
            return "debited";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String before(String key, Callable<Object> meanwhile) {
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
