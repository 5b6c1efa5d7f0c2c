package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction that goes back to a savepoint undoes the operations since, and no others. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
@Tag("slow")
class SavepointsTest {

    private static final int CLAIMS = 16;

    private final RuntimeException mine = new IllegalArgumentException("mine");

    private final Mode mode;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private CountedTable counted;
    private Counter counter;

    SavepointsTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.startForAll(dataSource, directory, "fbf.mode=" + mode, "fbf.max-claims=" + CLAIMS);
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        counter = app.counter;
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @Test
    void aNestedOperationThatIsRolledBackIsNewAndTheOuterOneIsApplied() throws Exception {
        counter.countAnd("outer", () -> failNested("inner"));

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("outer")).isEqualTo("counted before: outer");
        assertThat(counter.count("inner")).isEqualTo("counted");
    }

    @Test
    void aNestedOperationIsAppliedWithTheOuterOne() throws Exception {
        counter.countAnd("outer", () -> counter.countNestedAnd("inner", () -> {}));

        assertThat(counted.value()).isEqualTo(2);
        assertThat(counter.count("outer")).isEqualTo("counted before: outer");
        assertThat(counter.count("inner")).isEqualTo("counted before: inner");
    }

    @Test
    void anOperationAfterTheFirstWasUndoneIsAppliedAndTheSlotGoesOn() {
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            counter.count("applied");
        });

        assertAppliedAndUndone("applied", "undone");
        assertAllSlotsWork();
    }

    @Test
    void aTransactionWhoseOnlyOperationWasUndoneLeavesTheSlotAsItWas() {
        app.transaction.executeWithoutResult(status -> failNested("undone"));

        assertThat(counter.count("undone")).isEqualTo("counted");
        assertAllSlotsWork();
    }

    @Test
    void operationsUndoneOneAfterTheOtherLeaveTheSlotAsItWas() {
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            failNested("undone as well");
        });

        assertThat(counted.value()).isZero();
        assertAllSlotsWork();
    }

    @Test
    void anOperationAfterSeveralWereUndoneIsProvedByTheWitness() {
        Set<Map.Entry<String, Long>> before = counted.tokens().entrySet();
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            failNested("undone as well");
            counter.count("applied");
        });

        // without a token of its own, nobody could settle it
        assertThat(counted.tokens().entrySet().equals(before)).isEqualTo(mode == Mode.LEDGER);
        assertAppliedAndUndone("applied", "undone");
        assertAllSlotsWork();
    }

    @Test
    void aSavepointWithinANestedOperationUndoesTheInnermostAlone() throws Exception {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            try {
                counter.countNestedAnd("second", () -> failNested("third"));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            counter.count("fourth");
        });

        assertThat(counted.value()).isEqualTo(3);
        for (String key : new String[] {"first", "second", "fourth"}) {
            assertThat(counter.count(key)).isEqualTo("counted before: " + key);
        }
        assertThat(counter.count("third")).isEqualTo("counted");
    }

    @Test
    void savepointsOfTheUsersOwnUndoWhatFollowsThem() {
        app.transaction.executeWithoutResult(status -> {
            Object atFirst = status.createSavepoint();
            counter.count("undone");
            status.rollbackToSavepoint(atFirst);
            counter.count("applied");
            Object later = status.createSavepoint();
            counter.count("undone as well");
            status.rollbackToSavepoint(later);
            status.releaseSavepoint(later);
        });

        assertAppliedAndUndone("applied", "undone");
        assertThat(counter.count("undone as well")).isEqualTo("counted");
        assertAllSlotsWork();
    }

    @Test
    void anOperationIsProvedThoughItsFirstStatementWasUndone(DataSource dataSource) throws Exception {
        Set<Map.Entry<String, Long>> before = counted.tokens().entrySet();
        JdbcClient jdbc = JdbcClient.create(dataSource);

        counter.runTransactionallyInSqlOnly("applied", () -> {
            TransactionStatus status = TransactionAspectSupport.currentTransactionStatus();
            Object savepoint = status.createSavepoint();
            for (int tries = 0; tries < 2; tries++) {
                jdbc.sql("UPDATE counted SET value = value + 100").update();
                status.rollbackToSavepoint(savepoint);
            }
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        });

        assertThat(counted.tokens().entrySet().equals(before)).isEqualTo(mode == Mode.LEDGER);
        assertThat(counter.runTransactionallyInSqlOnly("applied", () -> {
                    throw mine;
                }))
                .isEqualTo("run before: applied");
        assertThat(counted.value()).isEqualTo(1);
        assertAllSlotsWork();
    }

    @Test
    void aSavepointCanBeGoneBackToTwice() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("applied");
            Object savepoint = status.createSavepoint();
            counter.count("undone");
            status.rollbackToSavepoint(savepoint);
            counter.count("undone as well");
            status.rollbackToSavepoint(savepoint);
        });

        assertAppliedAndUndone("applied", "undone");
        assertThat(counter.count("undone as well")).isEqualTo("counted");
    }

    /** As with Spring alone: what took part in the nested transaction spoilt that, and no more. */
    @Test
    void theOuterTransactionCommitsAfterANestedOneThatCanOnlyRollBack() {
        TransactionTemplate nested = app.newTransaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        app.transaction.executeWithoutResult(status -> {
            counter.count("applied");
            assertThatThrownBy(() -> nested.executeWithoutResult(inner -> failTransactionally("undone")))
                    .hasRootCause(mine);
        });

        assertAppliedAndUndone("applied", "undone");
    }

    @Test
    void anUndoneOperationIsNewInTheSameTransaction() {
        app.transaction.executeWithoutResult(status -> {
            failNested("again");
            assertThat(counter.count("again")).isEqualTo("counted");
            assertThat(counter.count("again")).isEqualTo("counted before: again");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("again")).isEqualTo("counted before: again");
        assertAllSlotsWork();
    }

    @Test
    void anUndoneOperationIsNewForOthersThoughItsTransactionGoesOn() {
        app.transaction.executeWithoutResult(status -> {
            failNested("undone");
            assertThat(CompletableFuture.supplyAsync(() -> counter.count("undone"))
                            .join())
                    .isEqualTo("counted");
            assertThat(counter.count("undone")).isEqualTo("counted before: undone");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertAllSlotsWork();
    }

    @Test
    void aSecondUseThatASavepointUndidLeavesTheFirst() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("first");
            Object savepoint = status.createSavepoint();
            assertThat(counter.count("first")).isEqualTo("counted before: first");
            status.rollbackToSavepoint(savepoint);
            assertThat(counter.count("first")).isEqualTo("counted before: first");
        });

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("first")).isEqualTo("counted before: first");
    }

    private void failTransactionally(String key) {
        try {
            counter.countTransactionallyAnd(key, () -> {
                throw mine;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void failNested(String key) {
        assertThatThrownBy(() -> counter.countNestedAnd(key, () -> {
                    throw mine;
                }))
                .isSameAs(mine);
    }

    private void assertAppliedAndUndone(String applied, String undone) {
        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count(applied)).isEqualTo("counted before: " + applied);
        assertThat(counter.count(undone)).isEqualTo("counted");
    }

    /** With few claims, each slot has its turn. */
    private void assertAllSlotsWork() {
        for (int i = 0; i < 2 * CLAIMS; i++) {
            assertThat(counter.count("another " + i)).isEqualTo("counted");
        }
    }
}
