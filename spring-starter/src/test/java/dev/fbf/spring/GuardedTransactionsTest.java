package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Guarded methods in every kind of transaction, against a real PostgreSQL. */
@ExtendWith(PostgresExtension.class)
class GuardedTransactionsTest {

    @TempDir
    private Path directory;

    private AnnotationConfigApplicationContext context;
    private JdbcClient jdbc;
    private Counter counter;
    private TransactionTemplate transaction;
    private BreakableTransactionManager transactions;

    @BeforeEach
    void start(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS counted").update();
        jdbc.sql("CREATE TABLE counted (value bigint NOT NULL)").update();
        jdbc.sql("INSERT INTO counted VALUES (0)").update();
        transactions = new BreakableTransactionManager(dataSource);

        context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of("fbf.directory=" + directory).applyTo(context);
        context.registerBean(DataSource.class, () -> dataSource);
        context.registerBean(PlatformTransactionManager.class, () -> transactions);
        context.registerBean(Counter.class, () -> new Counter(jdbc));
        context.register(Transactions.class, FbfAutoConfiguration.class);
        context.refresh();
        counter = context.getBean(Counter.class);
        transaction = new TransactionTemplate(transactions);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    void aRetryChangesNothing() {
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counter.count("b")).isEqualTo("counted");

        assertThat(value()).isEqualTo(2);
    }

    @Test
    void aRuntimeExceptionRollsBackPassesUnchangedAndFreesTheOperation() {
        RuntimeException thrown = new IllegalArgumentException("mine");

        assertThatThrownBy(() -> counter.countAndThrow("a", thrown)).isSameAs(thrown);
        assertThat(value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aCheckedExceptionRollsBackToo() {
        IOException thrown = new IOException("mine");

        assertThatThrownBy(() -> counter.countAndThrow("a", thrown)).isSameAs(thrown);
        assertThat(value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void theCallersRollbackFreesTheOperation() {
        transaction.executeWithoutResult(status -> {
            assertThat(counter.count("a")).isEqualTo("counted");
            status.setRollbackOnly();
        });

        assertThat(value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void anOperationIsInProgressUntilTheCallersCommit() {
        transaction.executeWithoutResult(status -> {
            counter.count("a");
            assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> counter.count("a"));
        });

        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aTransactionOfTheMethodsOwnDecidesNotTheCallers() {
        transaction.executeWithoutResult(status -> {
            assertThat(counter.countInNewTransaction("a")).isEqualTo("counted");
            status.setRollbackOnly();
        });

        assertThat(value()).isEqualTo(1);
        assertThat(counter.countInNewTransaction("a")).isEqualTo("counted before: a");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aTransactionalMethodKeepsItsOwnRollbackRules() {
        IOException thrown = new IOException("mine");

        assertThatThrownBy(() -> counter.commitAndThrow("a", thrown)).isSameAs(thrown);

        // Spring commits when a @Transactional method throws a checked exception: the operation was applied
        assertThat(value()).isEqualTo(1);
        assertThatExceptionOfType(DuplicateOperationException.class)
                .isThrownBy(() -> counter.commitAndThrow("a", thrown));
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aReadOnlyTransactionIsRefusedAndTheOperationFreed() {
        transaction.setReadOnly(true);

        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.execute(status -> counter.count("a")))
                .withMessageContaining("read-only");
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aCommitWithoutAnAnswerIsSettledWithinTheCallThatReturnsWhatTheMethodReturned() {
        transactions.loseTheAnswerToCommit = true;
        assertThat(counter.count("a")).isEqualTo("counted");
        transactions.loseTheAnswerToCommit = false;

        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aCommitThatNeverArrivedIsSettledWithinTheCallAndTheOperationIsNew() {
        transactions.loseTheCommit = true;
        assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> counter.count("a"));
        transactions.loseTheCommit = false;

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aRollbackWithoutAnAnswerFreesTheOperationForNoCommitWasAskedFor() {
        RuntimeException thrown = new IllegalArgumentException("mine");
        transactions.loseTheAnswerToRollback = true;
        assertThatThrownBy(() -> counter.countAndThrow("a", thrown)).isSameAs(thrown);
        transactions.loseTheAnswerToRollback = false;

        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(value()).isEqualTo(1);
    }

    @Test
    void aConnectionThatCannotBeHadFreesTheOperation() {
        transactions.refuseToBegin = true;
        assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> counter.count("a"));
        transactions.refuseToBegin = false;

        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aVoidMethodWithoutOnDuplicateReturnsAndAnyOtherThrows() {
        counter.countSilently("a");
        counter.countSilently("a");
        assertThat(counter.countAlone("b")).isEqualTo("counted");
        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> counter.countAlone("b"));

        assertThat(value()).isEqualTo(2);
    }

    @Test
    void aNullOrBlankKeyIsRefused() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> counter.count(" "))
                .withMessage("The idempotency key, #key, is blank.");
        assertThat(value()).isZero();
    }

    @Test
    void withoutAKeyExpressionAndWithoutARequestTheCallerIsToldWhatToDo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> counter.countByHeader())
                .withMessageContaining("Say where the key is, with key = \"#…\".");
        assertThat(value()).isZero();
    }

    @Test
    void applicationsThatAreStoppingRefuse() {
        context.getBean(Guards.class).destroy();

        assertThatExceptionOfType(OperationUnavailableException.class)
                .isThrownBy(() -> counter.count("a"))
                .withMessageContaining("the application is stopping");
        assertThat(value()).isZero();
    }

    private long value() {
        return jdbc.sql("SELECT value FROM counted").query(Long.class).single();
    }

    static class Counter {

        private final JdbcClient jdbc;

        Counter(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @IdempotentIncrement(scope = "counter", key = "#key", onDuplicate = "before")
        String count(String key) {
            return increment();
        }

        @IdempotentIncrement(scope = "counter", key = "#key")
        String countAndThrow(String key, Exception thrown) throws Exception {
            increment();
            throw thrown;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @IdempotentIncrement(scope = "counter", key = "#key", onDuplicate = "before")
        String countInNewTransaction(String key) {
            return increment();
        }

        @Transactional
        @IdempotentIncrement(scope = "counter", key = "#key")
        String commitAndThrow(String key, Exception thrown) throws Exception {
            increment();
            throw thrown;
        }

        @IdempotentIncrement(scope = "counter", key = "#key")
        void countSilently(String key) {
            increment();
        }

        @IdempotentIncrement(scope = "counter", key = "#key")
        String countAlone(String key) {
            return increment();
        }

        @IdempotentIncrement(scope = "counter")
        String countByHeader() {
            return increment();
        }

        @SuppressWarnings("UnusedMethod") // called by its name
        private String before(String key) {
            return "counted before: " + key;
        }

        private String increment() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return "counted";
        }
    }

    /** As the network breaks things: before a transaction, or after COMMIT or ROLLBACK took effect. */
    static final class BreakableTransactionManager extends JdbcTransactionManager {

        private static final long serialVersionUID = 1L;

        boolean refuseToBegin;
        boolean loseTheCommit;
        boolean loseTheAnswerToCommit;
        boolean loseTheAnswerToRollback;

        BreakableTransactionManager(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            if (refuseToBegin) {
                throw new TransactionSystemException("no connection");
            }
            super.doBegin(transaction, definition);
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            super.doRollback(status);
            if (loseTheAnswerToRollback) {
                throw new TransactionSystemException("connection lost");
            }
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            if (loseTheCommit) {
                super.doRollback(status); // as the server does when the connection is gone
                throw new TransactionSystemException("connection lost");
            }
            super.doCommit(status);
            if (loseTheAnswerToCommit) {
                throw new TransactionSystemException("connection lost");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {}
}
