package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.method.CallerOfTheTest;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactional methods below a guarded one, whose transaction they join: what they ask for holds, or they are refused. */
@ExtendWith(OutputCaptureExtension.class)
@GuardedApp(beans = {JoiningTest.Guarded.class, JoiningTest.Service.class})
class JoiningTest extends CountingAppTest {

    private final String key = CallerOfTheTest.current();

    private Guarded guarded;
    private Service service;

    @BeforeEach
    void find() {
        guarded = app.bean(Guarded.class);
        service = app.bean(Service.class);
    }

    @Test
    void aStricterIsolationIsRefusedAndTheOperationIsNew() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guarded.call(key, service::serializable))
                .withMessageStartingWith(
                        "@Transactional on " + Service.class.getName() + ".serializable asks for another isolation")
                .withMessageContaining("@IdempotentIncrement on public java.lang.String " + Guarded.class.getName())
                .withMessageContaining("Set isolation and timeout there with @Transactional");
        assertThatIllegalStateException().isThrownBy(() -> guarded.call(key, service::repeatableRead));

        assertThat(counted.value()).isZero();
        assertThat(guarded.call(key, service::plain)).isEqualTo("read committed");
    }

    @Test
    void anIsolationThatTheGuardedMethodHasTooHolds() {
        assertThat(guarded.callSerializable(key + 1, service::serializable)).isEqualTo("serializable");
        assertThat(guarded.callSerializable(key + 2, service::repeatableRead)).isEqualTo("serializable");
        assertThat(guarded.callSerializable(key + 1, service::serializable)).isEqualTo("before");

        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void whatAsksForNoMoreThanTheDatabasesDefaultJoins() {
        assertThat(guarded.call(key + 1, service::readCommitted)).isEqualTo("read committed");
        assertThat(guarded.call(key + 2, service::plain)).isEqualTo("read committed");
        assertThat(guarded.call(key + 3, service::readOnly)).isEqualTo("read committed");

        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aShorterTimeoutIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guarded.call(key, service::withinAMinute))
                .withMessageContaining("asks for timeout=60");
        assertThat(counted.value()).isZero();
    }

    @Test
    void theTimeoutOfTheMethodsOwnTransactionHolds() {
        assertThat(guarded.callWithinAMinute(key, service::withinAMinute)).isEqualTo("read committed");
        assertThat(guarded.callWithinAMinute(key + 1, service::hasTimeout)).isEqualTo("true");
        assertThat(guarded.call(key + 2, service::hasTimeout)).isEqualTo("false");
    }

    @Test
    void aGuardedMethodBelowAGuardCannotAskForMoreEither() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guarded.call(key, () -> guarded.callSerializable(key + 1, service::plain)));

        assertThat(counted.value()).isZero();
    }

    @Test
    void theIsolationOfTheCallersTransactionHolds() {
        assertThat(serializable().<String>execute(status -> guarded.callSerializable(key, service::serializable)))
                .isEqualTo("serializable");
        assertThat(counted.value()).isEqualTo(1);
    }

    private static TransactionTemplate serializable() {
        TransactionTemplate serializable = app.newTransaction();
        serializable.setIsolationLevel(TransactionTemplate.ISOLATION_SERIALIZABLE);
        serializable.setTimeout(60);
        return serializable;
    }

    @Test
    void theWorkOfAProgramIsCheckedToo() {
        assertThatIllegalStateException()
                .isThrownBy(() -> app.bean(IdempotentOperations.class)
                        .scope("program")
                        .execute(IdempotencyKey.of(key), service::serializable))
                .withMessageContaining("the transaction of The scope program of IdempotentOperations");

        assertThat(serializable()
                        .<String>execute(status -> app.bean(IdempotentOperations.class)
                                .scope("program")
                                .execute(
                                        IdempotencyKey.of(key),
                                        () -> service.serializable() + ", " + service.hasTimeout(),
                                        () -> "before")))
                .isEqualTo("serializable, true");
    }

    @Test
    void aNewTransactionHasWhatItAsksForAndIsNamedOnceForItCommitsBefore(CapturedOutput output) {
        for (int i = 0; i < 2; i++) {
            assertThat(guarded.call(key + i, service::newSerializable)).isEqualTo("serializable");
        }

        assertThat(output.toString().split("a separate transaction was committed within a guarded call", -1))
                .hasSize(2);
        assertThat(output)
                .containsPattern("@IdempotentIncrement on .*Guarded\\.call\\(.*: a separate transaction was committed"
                        + " within");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read-only", "guarded"})
    void innerTransactionsThatLoseNothingAreNotNamed(String kind, CapturedOutput output) {
        guarded.callQuietly(
                key,
                kind.equals("guarded")
                        ? () -> guarded.callInNewTransaction(key + 1, service::plain)
                        : service::newReadOnly);

        assertThat(output).doesNotContain("a separate transaction was committed within a guarded call");
    }

    @Test
    void transactionsOutsideOfGuardedCallsAreNobodysConcern(CapturedOutput output) {
        assertThat(service.serializable()).isEqualTo("serializable");
        assertThat(service.newSerializable()).isEqualTo("serializable");

        assertThat(output).doesNotContain("a separate transaction was committed within a guarded call");
    }

    static class Guarded {

        @IdempotentIncrement(scope = "joined", key = "#key")
        public String call(String key, Supplier<String> work) {
            return work.get();
        }

        @IdempotentIncrement(scope = "quiet", key = "#key")
        public String callQuietly(String key, Supplier<String> work) {
            return work.get();
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        @IdempotentIncrement(scope = "joined", key = "#key", onDuplicate = "before")
        public String callSerializable(String key, Supplier<String> work) {
            return work.get();
        }

        @Transactional(timeout = 60)
        @IdempotentIncrement(scope = "joined", key = "#key")
        public String callWithinAMinute(String key, Supplier<String> work) {
            return work.get();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @IdempotentIncrement(scope = "joined", key = "#key")
        public String callInNewTransaction(String key, Supplier<String> work) {
            return work.get();
        }

        public String before(String key, Supplier<String> work) {
            return "before";
        }
    }

    static class Service {

        private final DataSource dataSource;
        private final JdbcClient jdbc;

        Service(DataSource dataSource) {
            this.dataSource = dataSource;
            jdbc = JdbcClient.create(dataSource);
        }

        @Transactional
        public String plain() {
            return count();
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        public String serializable() {
            return count();
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public String repeatableRead() {
            return count();
        }

        @Transactional(isolation = Isolation.READ_COMMITTED)
        public String readCommitted() {
            return count();
        }

        @Transactional(readOnly = true)
        public String readOnly() {
            return isolation();
        }

        @Transactional(timeout = 60)
        public String withinAMinute() {
            return count();
        }

        @Transactional
        public String hasTimeout() {
            ConnectionHolder holder = (ConnectionHolder)
                    Objects.requireNonNull(TransactionSynchronizationManager.getResource(dataSource));
            return Boolean.toString(holder.hasTimeout());
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW, isolation = Isolation.SERIALIZABLE)
        public String newSerializable() {
            return count();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW, readOnly = true)
        public String newReadOnly() {
            return isolation();
        }

        private String count() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return isolation();
        }

        private String isolation() {
            return jdbc.sql("SHOW transaction_isolation").query(String.class).single();
        }
    }
}
