package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** What transactional event listeners of each phase may call: nothing is lost, nothing doubled, no claim is left. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@CsvSource({"FILTER, JDBC", "FILTER, JPA", "LEDGER, JDBC_WITHOUT_AUTOCOMMIT", "LEDGER, JPA"})
@SuppressWarnings("NullAway.Init") // set before the tests
class TransactionCallbacksTest {

    enum Manager {
        JDBC,
        JDBC_WITHOUT_AUTOCOMMIT,
        JPA
    }

    /** What a listener calls. */
    enum Call {
        METHOD,
        TRANSACTIONAL_METHOD,
        SCOPE,
        COUNTER,
        COUNTERS,
        WITHOUT_KEY;

        void make(CountingApp app, String key) {
            SqlCounters counters = app.bean(SqlCounters.class);
            switch (this) {
                case METHOD -> app.counter.count(key);
                case TRANSACTIONAL_METHOD -> app.counter.countTransactionally(key);
                case SCOPE ->
                    app.bean(IdempotentOperations.class)
                            .scope("scope")
                            .execute(IdempotencyKey.of(key), app.bean(Counts.class)::count);
                case COUNTER -> counters.increment(IdempotencyKey.of(key), "page", 1);
                case COUNTERS -> counters.increment(IdempotencyKey.of(key), Map.of("page", 1L));
                case WITHOUT_KEY -> app.counter.countWithoutKey(null, () -> {});
            }
        }
    }

    @TempDir
    private static Path directory;

    private static HikariDataSource pool;
    private static CountingApp app;

    private final String key = UUID.randomUUID().toString();

    private JdbcClient jdbc;
    private long before;

    @SuppressWarnings("UnusedVariable") // the application has them
    TransactionCallbacksTest(Mode mode, Manager manager) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, Manager manager, DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        pool = Pools.of(dataSource, 4);
        pool.setAutoCommit(manager != Manager.JDBC_WITHOUT_AUTOCOMMIT);
        app = CountingApp.start(directory.resolve(mode + "-" + manager), new String[] {"fbf.mode=" + mode}, context -> {
            context.registerBean("dataSource", DataSource.class, () -> pool);
            if (manager == Manager.JPA) {
                Jpa.addTo(context, pool);
            } else {
                context.registerBean(
                        "transactions", PlatformTransactionManager.class, () -> new JdbcTransactionManager(pool));
            }
            context.registerBean(Counter.class, () -> new Counter(pool));
            context.registerBean(Counts.class, () -> new Counts(pool));
            context.registerBean(Listeners.class);
        });
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
        before = added();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        pool.close();
    }

    /** Spring calls the listeners of all three phases in one callback: the last phase needs one call only. */
    static Stream<Arguments> afterTheEnd() {
        return Stream.concat(
                        Stream.of(TransactionPhase.AFTER_COMMIT, TransactionPhase.AFTER_ROLLBACK)
                                .flatMap(phase -> Stream.of(Call.values()).map(call -> Map.entry(phase, call))),
                        Stream.of(Map.entry(TransactionPhase.AFTER_COMPLETION, Call.METHOD)))
                .flatMap(each -> Stream.of(true, false)
                        .map(outerHasOne -> Arguments.of(each.getKey(), each.getValue(), outerHasOne)));
    }

    @ParameterizedTest
    @MethodSource("afterTheEnd")
    void anOperationAfterTheEndIsRefusedAndAppliedInANewTransaction(
            TransactionPhase phase, Call call, boolean outerHasOne) {
        Throwable thrown = inPhase(phase, outerHasOne, () -> call.make(app, key));

        assertThat(thrown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("REQUIRES_NEW", "was not applied", "scope=");
        long outer = outer(phase, outerHasOne);
        assertThat(total()).isEqualTo(outer);
        assertThat(app.held()).isZero();

        thrown = inPhase(phase, false, () -> app.requiresNew().executeWithoutResult(status -> call.make(app, key)));

        assertThat(thrown).isNull();
        assertThat(total()).isEqualTo(outer + 1);
        assertThat(app.held()).isZero();
        assertRetryChangesNothing(call);
    }

    @ParameterizedTest
    @EnumSource
    void anOperationBeforeTheCommitIsPartOfTheTransaction(Call call) {
        Throwable thrown = inPhase(TransactionPhase.BEFORE_COMMIT, true, () -> call.make(app, key));

        assertThat(thrown).isNull();
        assertThat(total()).isEqualTo(2);
        assertThat(app.held()).isZero();
        assertRetryChangesNothing(call);
    }

    private void assertRetryChangesNothing(Call call) {
        long applied = total();
        if (call != Call.WITHOUT_KEY) {
            call.make(app, key);
            assertThat(total()).isEqualTo(applied);
        }
    }

    private static @Nullable Throwable inPhase(TransactionPhase phase, boolean outerHasOne, Runnable calls) {
        Listeners listeners = app.bean(Listeners.class);
        listeners.thrown = new AssertionError("not called");
        app.transaction.executeWithoutResult(status -> {
            if (outerHasOne) {
                app.counter.count("outer");
            }
            listeners.publisher.publishEvent(new Event(phase, calls));
            if (phase == TransactionPhase.AFTER_ROLLBACK) {
                status.setRollbackOnly();
            }
        });
        return listeners.thrown;
    }

    private static long outer(TransactionPhase phase, boolean outerHasOne) {
        return outerHasOne && phase != TransactionPhase.AFTER_ROLLBACK ? 1 : 0;
    }

    /** What the calls have added. */
    private long total() {
        return added() - before;
    }

    private long added() {
        return jdbc.sql("SELECT (SELECT value FROM counted) + (SELECT coalesce(sum(value), 0) FROM fbf_counter)")
                .query(Long.class)
                .single();
    }

    static class Counts {

        private final JdbcClient jdbc;

        Counts(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        int count() {
            return jdbc.sql("UPDATE counted SET value = value + 1").update();
        }
    }

    /** Asks a listener of one phase to call. */
    record Event(TransactionPhase phase, Runnable calls) {}

    static class Listeners {

        final ApplicationEventPublisher publisher;

        @Nullable Throwable thrown;

        Listeners(ApplicationEventPublisher publisher) {
            this.publisher = publisher;
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        void beforeCommit(Event event) {
            call(event, TransactionPhase.BEFORE_COMMIT);
        }

        @TransactionalEventListener
        void afterCommit(Event event) {
            call(event, TransactionPhase.AFTER_COMMIT);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        void afterRollback(Event event) {
            call(event, TransactionPhase.AFTER_ROLLBACK);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        void afterCompletion(Event event) {
            call(event, TransactionPhase.AFTER_COMPLETION);
        }

        private void call(Event event, TransactionPhase phase) {
            if (event.phase == phase) {
                thrown = catchThrowable(event.calls::run);
            }
        }
    }
}
