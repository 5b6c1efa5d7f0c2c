package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions that PostgreSQL or Spring refuses to commit: what was thrown stands, and the operation is new. */
@GuardedApp
class FailedTransactionsTest extends CountingAppTest {

    @BeforeEach
    void makeTable() {
        jdbc.sql("DROP TABLE IF EXISTS once").update();
        jdbc.sql("CREATE TABLE once (key text UNIQUE DEFERRABLE INITIALLY DEFERRED)")
                .update();
        jdbc.sql("INSERT INTO once VALUES ('taken')").update();
    }

    @Test
    void aFailedStatementWhoseExceptionWasSwallowedIsNotTakenForACommit() {
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> counter.countAnd("a", this::failAndSwallow))
                .withMessageContaining("can only roll the transaction back");

        assertNothingWasCountedAndTheOperationIsNew();
    }

    @Test
    void norIsItInATransactionalMethodOrInTheCallersTransaction() {
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> counter.countTransactionallyAnd("a", this::failAndSwallow));
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                    counter.count("a");
                    failAndSwallow();
                }));

        assertNothingWasCountedAndTheOperationIsNew();
    }

    @Test
    void aConstraintViolatedAtCommitIsReportedAsWithoutGuard() {
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> counter.countAnd("a", this::violateAtCommit));
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> counter.countTransactionallyAnd("a", this::violateAtCommit));

        assertNothingWasCountedAndTheOperationIsNew();
    }

    /** A listener of the application's is told before fbf's, which may send COMMIT. */
    @Test
    void whatAListenerThrowsRightBeforeCommitFreesTheOperation() {
        RuntimeException thrown = new IllegalArgumentException("mine");
        AtomicReference<RuntimeException> next = new AtomicReference<>(thrown);
        ConfigurableTransactionManager manager =
                (ConfigurableTransactionManager) app.bean(PlatformTransactionManager.class);
        List<TransactionExecutionListener> listeners = new ArrayList<>();
        listeners.add(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                RuntimeException once = next.getAndSet(null);
                if (once != null) {
                    throw once;
                }
            }
        });
        listeners.addAll(manager.getTransactionExecutionListeners());
        manager.setTransactionExecutionListeners(listeners);

        assertThatThrownBy(() -> counter.count("a")).isSameAs(thrown);

        assertNothingWasCountedAndTheOperationIsNew();
    }

    /** Spring then neither commits nor rolls back, and the driver would commit when it is reset. */
    @Test
    void aTransactionExceptionRightBeforeCommitRollsBack() {
        RuntimeException thrown = new IllegalTransactionStateException("mine");

        assertThatThrownBy(() -> counter.countAnd("a", () -> beforeCommit(thrown)))
                .isSameAs(thrown);
        assertThatThrownBy(() -> counter.countTransactionallyAnd("a", () -> beforeCommit(thrown)))
                .isSameAs(thrown);
        assertThatThrownBy(() -> app.transaction.executeWithoutResult(status -> {
                    counter.count("a");
                    beforeCommit(thrown);
                }))
                .isSameAs(thrown);

        assertNothingWasCountedAndTheOperationIsNew();
    }

    /** A method's COMMIT is not fbf's to send, and takes the method's operation along. */
    @ParameterizedTest
    @EnumSource
    void aMethodThatCommitsByItselfBeforeItThrowsIsApplied(OwnCommit commit) throws Exception {
        assumeTrue(mode == Mode.LEDGER, "filter mode does not notice");
        RuntimeException thrown = new IllegalArgumentException("mine");

        assertThatThrownBy(() -> counter.countAnd("a", () -> {
                    commit.sendOver(dataSource);
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("b")).isEqualTo("counted");
    }

    /** What fails after that is rolled back, and the operation is not. */
    @ParameterizedTest
    @ValueSource(strings = {"returns", "fails", "rolls back"})
    void aMethodThatCommitsByItselfIsAppliedWhateverItDoesThen(String then) {
        assumeTrue(mode == Mode.LEDGER, "filter mode does not notice");
        Throwable thrown = catchThrowable(() -> counter.countAnd("a", () -> {
            Connection mine = DataSourceUtils.getConnection(dataSource);
            mine.commit();
            switch (then) {
                case "fails" -> failAndSwallow();
                case "rolls back" -> {
                    write();
                    mine.rollback();
                }
                default -> {}
            }
        }));

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).as("after %s", thrown).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    /** It would be taken for applied, since the operation of the outer one was. */
    @Test
    void anOperationIsRefusedAfterAnOwnCommit() {
        assumeTrue(mode == Mode.LEDGER, "filter mode does not notice");
        assertThatThrownBy(() -> counter.countAnd("b", () -> {
                    DataSourceUtils.getConnection(dataSource).commit();
                    counter.count("a");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this transaction was ended on its connection");

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("b")).isEqualTo("counted before: b");
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    /** A retry finds the operation applied, and would not make up for it. */
    @Test
    void whatAMethodChangesAfterItsOwnCommitIsRolledBackWithAnError() throws Exception {
        assumeTrue(mode == Mode.LEDGER);
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> counter.countAnd("a", () -> {
                    DataSourceUtils.getConnection(dataSource).commit();
                    jdbc.sql("UPDATE counted SET value = value + 10").update();
                }))
                .withMessageContaining("The changes made since are rolled back");

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    /** How a method can commit in its transaction manager's stead. */
    private enum OwnCommit {
        METHOD,
        METHOD_AND_GOES_ON,
        AUTOCOMMIT,
        STATEMENT;

        void sendOver(DataSource dataSource) throws SQLException {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            try (Statement statement = connection.createStatement()) {
                switch (this) {
                    case METHOD -> connection.commit();
                    case METHOD_AND_GOES_ON -> {
                        connection.commit();
                        statement.execute("SELECT value FROM counted");
                    }
                    case AUTOCOMMIT -> connection.setAutoCommit(true);
                    case STATEMENT -> statement.execute("COMMIT");
                }
            }
        }
    }

    /** What it does after that would be committed without its operation, and again by the retry. */
    @Test
    void aMethodThatRollsBackByItselfAndGoesOnIsRefused() {
        assumeTrue(mode == Mode.LEDGER, "filter mode does not notice");
        assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                .isThrownBy(() -> counter.countAnd("a", () -> {
                    DataSourceUtils.getConnection(dataSource).rollback();
                    jdbc.sql("UPDATE counted SET value = value + 1").update();
                }))
                .withMessageContaining("instead of calling Connection.rollback()");

        assertNothingWasCountedAndTheOperationIsNew();
    }

    @Test
    void whatThrowsRightAfterCommitComesTooLate() {
        RuntimeException thrown = new IllegalArgumentException("mine");

        assertThatThrownBy(() -> counter.countAnd(
                        "a",
                        () -> CountingApp.afterCommit(() -> {
                            throw thrown;
                        })))
                .isSameAs(thrown);

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    private void assertNothingWasCountedAndTheOperationIsNew() {
        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
    }

    private static void beforeCommit(RuntimeException thrown) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw thrown;
            }
        });
    }

    private void failAndSwallow() {
        assertThatThrownBy(this::fail).isInstanceOf(DataIntegrityViolationException.class);
    }

    private void fail() {
        inTransaction("UPDATE counted SET value = NULL");
    }

    private void violateAtCommit() {
        inTransaction("INSERT INTO once VALUES ('taken')");
    }

    private void write() {
        inTransaction("INSERT INTO once VALUES (random())");
    }

    private void inTransaction(String sql) {
        jdbc.sql(sql).update();
    }
}
