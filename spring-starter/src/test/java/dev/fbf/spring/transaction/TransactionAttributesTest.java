package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counter.Action;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.method.CallerOfTheTest;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@code @Transactional} says of a method holds with the guard as it does without. */
@GuardedApp(
        beans = {
            TransactionAttributesTest.Plain.class,
            TransactionAttributesTest.Guarded.class,
            TransactionAttributesTest.Inner.class
        })
class TransactionAttributesTest extends CountingAppTest {

    /** The method adds one; what else is committed counts for more. */
    private static final int ELSEWHERE = 100;

    private enum Situation {
        RETURNS((test, methods, key) -> methods.required(key, () -> {})),
        THROWS_A_RUNTIME_EXCEPTION((test, methods, key) -> methods.required(key, throwing(mine()))),
        THROWS_A_CHECKED_EXCEPTION((test, methods, key) -> methods.required(key, throwing(new IOException("mine")))),
        ROLLBACK_FOR((test, methods, key) -> methods.rollbackForChecked(key, throwing(new IOException("mine")))),
        NO_ROLLBACK_FOR((test, methods, key) -> methods.noRollbackForIllegal(key, throwing(mine()))),
        MARKED_BY_THE_METHOD_ITSELF((test, methods, key) -> methods.required(
                key, () -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly())),
        MARKED_BY_A_PARTICIPANT((test, methods, key) -> methods.required(
                key, () -> test.swallow(() -> app.bean(Inner.class).join(throwing(mine()))))),
        MARKED_BY_A_PARTICIPANT_IN_THE_CALLERS_TRANSACTION((test, methods, key) -> test.in(app.newTransaction(), () -> {
            test.swallow(() -> methods.required(key, throwing(mine())));
            return "swallowed";
        })),
        JOINED_BY_A_STRICTER_ISOLATION((test, methods, key) -> methods.required(
                key,
                () -> assertThat(app.bean(Inner.class).serializable(test.jdbc)).isEqualTo("read committed"))),
        JOINED_BY_A_READER((test, methods, key) -> methods.required(
                key, () -> assertThat(app.bean(Inner.class).count(test.jdbc)).isEqualTo(1))),
        SERIALIZABLE((test, methods, key) -> methods.serializable(key)),
        WITH_A_TIMEOUT((test, methods, key) -> methods.withinAMinute(key)),
        MANDATORY_WITHOUT_A_TRANSACTION((test, methods, key) -> methods.mandatory(key, () -> {})),
        MANDATORY((test, methods, key) -> test.in(app.newTransaction(), () -> methods.mandatory(key, () -> {}))),
        NEW_TRANSACTION_WITHIN_ONE_THAT_ROLLS_BACK((test, methods, key) -> methods.required(key, () -> {
            test.in(app.requiresNew(), test::countElsewhere);
            throw mine();
        })),
        NEW_TRANSACTION_OF_ANOTHER_MANAGER_WITHIN_ONE_THAT_ROLLS_BACK((test, methods, key) ->
                methods.required(key, () -> {
                    test.in(test.ofAnotherManager(), () -> "nothing");
                    throw mine();
                })),
        IN_ANOTHER_MANAGERS_TRANSACTION_THAT_ROLLS_BACK((test, methods, key) -> test.in(test.ofAnotherManager(), () -> {
            methods.required(key, () -> {});
            throw mine();
        })),
        IN_A_NEW_TRANSACTION_OF_ONE_THAT_ROLLS_BACK((test, methods, key) -> test.in(app.newTransaction(), () -> {
            test.in(app.requiresNew(), () -> methods.required(key, () -> {}));
            throw mine();
        })),
        AFTER_A_SAVEPOINT_THAT_IS_ROLLED_BACK_TO((test, methods, key) -> test.in(app.newTransaction(), () -> {
            test.swallow(() -> test.in(nested(), () -> {
                methods.required(key, () -> {});
                throw mine();
            }));
            return test.countElsewhere();
        }));

        @SuppressWarnings("ImmutableEnumChecker") // without state
        private final Call call;

        Situation(Call call) {
            this.call = call;
        }
    }

    private static RuntimeException mine() {
        return new IllegalArgumentException("mine");
    }

    private interface Call {
        String make(TransactionAttributesTest test, Plain methods, String key) throws Exception;
    }

    private static TransactionTemplate nested() {
        TransactionTemplate nested = app.newTransaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        return nested;
    }

    @ParameterizedTest
    @EnumSource
    void holdsAsWithoutGuard(Situation situation) {
        String key = CallerOfTheTest.current() + situation;
        String without = outcome(situation, app.bean(Plain.class), key);
        long committed = committed();
        makeElsewhere();
        jdbc.sql("UPDATE counted SET value = 0").update();

        String with = outcome(situation, app.bean(Guarded.class), key);

        assertThat(with).isEqualTo(without);
        assertThat(committed()).isEqualTo(committed);
        boolean applied = committed % ELSEWHERE == 1;
        assertThat(app.bean(Guarded.class).probe(key)).isEqualTo(applied ? "duplicate" : "new");
        assertThat(app.held()).isZero();
    }

    @BeforeEach
    void makeElsewhere() {
        jdbc.sql("DROP TABLE IF EXISTS elsewhere; CREATE TABLE elsewhere (value bigint NOT NULL)")
                .update();
    }

    private long committed() {
        return counted.value()
                + jdbc.sql("SELECT coalesce(sum(value), 0) FROM elsewhere")
                        .query(Long.class)
                        .single();
    }

    private String outcome(Situation situation, Plain methods, String key) {
        try {
            return situation.call.make(this, methods, key);
        } catch (Exception e) {
            return e.getClass().getName();
        }
    }

    private static Action throwing(Exception thrown) {
        return () -> {
            throw thrown;
        };
    }

    private void swallow(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            assertThat(e).hasMessage("mine");
        }
    }

    private String in(TransactionTemplate transaction, Callable<String> work) {
        return Objects.requireNonNull(transaction.<String>execute(status -> {
            try {
                return work.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }));
    }

    /** Of another data source, on whose connection nothing is done. */
    private TransactionTemplate ofAnotherManager() {
        return new TransactionTemplate(new JdbcTransactionManager(new DelegatingDataSource(dataSource)));
    }

    /** A row of its own: a new transaction does not wait for the one that it suspends. */
    private String countElsewhere() {
        jdbc.sql("INSERT INTO elsewhere VALUES (" + ELSEWHERE + ")").update();
        return "counted elsewhere";
    }

    /** The methods without guard. */
    @Primary
    static class Plain {

        private final JdbcClient jdbc;
        private final DataSource dataSource;

        Plain(DataSource dataSource) {
            this.dataSource = dataSource;
            jdbc = JdbcClient.create(dataSource);
        }

        @Transactional
        public String required(String key, Action action) throws Exception {
            return count(action);
        }

        @Transactional(rollbackFor = IOException.class)
        public String rollbackForChecked(String key, Action action) throws Exception {
            return count(action);
        }

        @Transactional(noRollbackFor = IllegalArgumentException.class)
        public String noRollbackForIllegal(String key, Action action) throws Exception {
            return count(action);
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        public String serializable(String key) throws Exception {
            return count(() -> {})
                    + jdbc.sql("SHOW transaction_isolation").query(String.class).single();
        }

        @Transactional(timeout = 60)
        public String withinAMinute(String key) throws Exception {
            ConnectionHolder holder = (ConnectionHolder)
                    Objects.requireNonNull(TransactionSynchronizationManager.getResource(dataSource));
            return count(() -> {}) + holder.hasTimeout();
        }

        @Transactional(propagation = Propagation.MANDATORY)
        public String mandatory(String key, Action action) throws Exception {
            return count(action);
        }

        final String count(Action action) throws Exception {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            action.run();
            String name = TransactionSynchronizationManager.getCurrentTransactionName();
            return "counted in " + (name == null ? null : name.replace("$Guarded", "$Plain"));
        }
    }

    static class Guarded extends Plain {

        Guarded(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        @Transactional
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String required(String key, Action action) throws Exception {
            return super.required(key, action);
        }

        @Override
        @Transactional(rollbackFor = IOException.class)
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String rollbackForChecked(String key, Action action) throws Exception {
            return super.rollbackForChecked(key, action);
        }

        @Override
        @Transactional(noRollbackFor = IllegalArgumentException.class)
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String noRollbackForIllegal(String key, Action action) throws Exception {
            return super.noRollbackForIllegal(key, action);
        }

        @Override
        @Transactional(isolation = Isolation.SERIALIZABLE)
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String serializable(String key) throws Exception {
            return super.serializable(key);
        }

        @Override
        @Transactional(timeout = 60)
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String withinAMinute(String key) throws Exception {
            return super.withinAMinute(key);
        }

        @Override
        @Transactional(propagation = Propagation.MANDATORY)
        @IdempotentIncrement(scope = "attributes", key = "#key")
        public String mandatory(String key, Action action) throws Exception {
            return super.mandatory(key, action);
        }

        @IdempotentIncrement(scope = "attributes", key = "#key", onDuplicate = "before")
        public String probe(String key) {
            return "new";
        }

        public String before(String key) {
            return "duplicate";
        }
    }

    static class Inner {

        @Transactional
        public void join(Action action) throws Exception {
            action.run();
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        public String serializable(JdbcClient jdbc) {
            return jdbc.sql("SHOW transaction_isolation").query(String.class).single();
        }

        /** Sees what the guarded method has changed. */
        @Transactional(readOnly = true)
        public long count(JdbcClient jdbc) {
            return jdbc.sql("SELECT value FROM counted").query(Long.class).single();
        }
    }
}
