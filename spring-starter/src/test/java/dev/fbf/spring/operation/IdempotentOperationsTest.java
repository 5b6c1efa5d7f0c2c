package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Operations of a program that has no annotated method. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
class IdempotentOperationsTest {

    private static final ObservationRegistry observations = ObservationRegistry.create();
    private static final MeterRegistry meters = new SimpleMeterRegistry();

    @TempDir
    private static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private final Mode mode;
    private final String order = "order-" + UUID.randomUUID();
    private final IdempotencyKey key = IdempotencyKey.of(order);

    private DataSource dataSource;
    private CountedTable counted;
    private JdbcClient jdbc;
    private IdempotentOperations operations;
    private IdempotentScope scope;

    IdempotentOperationsTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeAll
    static void observe() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource) {
        app = start(mode, dataSource, mode.name(), context -> {});
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        this.dataSource = dataSource;
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
        meters.clear();
        operations = app.bean(IdempotentOperations.class);
        scope = operations.scope("payments");
    }

    private static CountingApp start(
            Mode mode, DataSource dataSource, String node, Consumer<AnnotationConfigApplicationContext> beans) {
        return CountingApp.start(directory.resolve(node), new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(ObservationRegistry.class, () -> observations);
            beans.accept(context);
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    private int add() {
        return jdbc.sql("UPDATE counted SET value = value + 1").update();
    }

    @Test
    void areAppliedOnceAndTheCallSaysWhetherItWasTheOne() {
        assertThat(scope.execute(key, this::add)).isTrue();
        assertThat(scope.execute(key, this::add)).isFalse();

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void returnWhatTheWorkReturnsAndForADuplicateWhatStandsInForIt() {
        assertThat(scope.execute(key, () -> "added " + add(), () -> "added before"))
                .isEqualTo("added 1");
        assertThat(scope.execute(key, () -> "added " + add(), () -> "added before"))
                .isEqualTo("added before");
    }

    @Test
    void thatThrowAreNotApplied() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> scope.execute(key, () -> {
                    add();
                    throw new IOException("disk");
                }))
                .withMessage("disk");
        assertThat(counted.value()).isZero();

        assertThat(scope.execute(key, this::add)).isTrue();
    }

    @Test
    void whoseSqlFailsAreNotApplied() {
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> scope.execute(
                        key, () -> jdbc.sql("UPDATE counted SET value = NULL").update()));

        assertThat(scope.execute(key, this::add)).isTrue();
    }

    @Test
    void runInATransactionOfTheirOwn() {
        scope.execute(
                key,
                () -> assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                        .isTrue());

        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
    }

    @Test
    void joinTheCallersTransactionWhoseOutcomeDecides() {
        app.transaction.executeWithoutResult(status -> {
            assertThat(scope.execute(key, this::add)).isTrue();
            status.setRollbackOnly();
        });
        assertThat(counted.value()).isZero();

        app.transaction.executeWithoutResult(
                status -> assertThat(scope.execute(key, this::add)).isTrue());
        assertThat(scope.execute(key, this::add)).isFalse();
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void areRememberedAcrossARestart() {
        scope.execute(key, this::add);
        app.close();
        start(mode, dataSource);

        assertThat(app.bean(IdempotentOperations.class).scope("payments").execute(key, this::add))
                .isFalse();
    }

    @Test
    void ofTwoCallersAreTwo() {
        assertThat(scope.caller("a").execute(key, this::add)).isTrue();
        assertThat(scope.caller("b").execute(key, this::add)).isTrue();
        assertThat(scope.caller("a").execute(key, this::add)).isFalse();
    }

    @Test
    void ofTwoScopesAreTwo() {
        assertThat(scope.execute(key, this::add)).isTrue();
        assertThat(operations.scope("refunds").execute(key, this::add)).isTrue();
    }

    @Test
    void areTheSameAsThoseOfAnAnnotatedMethodWithTheirScope() {
        assertThat(app.counter.count(order)).isEqualTo("counted");

        assertThat(operations.scope("counter").caller(CallerOfTheTest.current()).execute(key, this::add))
                .isFalse();
    }

    @Test
    void areRefusedWhileAnotherThreadAppliesThem() {
        scope.execute(key, () -> {
            assertThatExceptionOfType(OperationInProgressException.class)
                    .isThrownBy(() -> inThread(() -> scope.execute(key, this::add)));
            add();
        });

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void doNotWaitForLessThanNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> operations.builder("waiting").waitInProgress(Duration.ofSeconds(-1)))
                .withMessageContaining("waitInProgress=PT-1S");
    }

    @Test
    void waitForAnotherThreadWhereTheScopeSaysSo() throws Exception {
        IdempotentScope waiting = operations
                .builder("waiting")
                .waitInProgress(Duration.ofSeconds(5))
                .build();
        FutureTask<Boolean> second = new FutureTask<>(() -> waiting.execute(key, this::add));
        Thread thread = new Thread(second);

        waiting.execute(key, () -> {
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            add();
        });

        assertThat(second.get()).isFalse();
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void countOnceHoweverManyThreadsSendThem() throws Exception {
        IdempotentScope waiting = operations
                .builder("waiting")
                .waitInProgress(Duration.ofSeconds(5))
                .build();
        List<Callable<Boolean>> sent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            IdempotencyKey each = IdempotencyKey.of(order + "-" + i);
            sent.addAll(Collections.nCopies(3, () -> waiting.execute(each, this::add)));
        }
        ExecutorService threads = Executors.newFixedThreadPool(6);
        int applied = 0;
        try {
            for (Future<Boolean> response : threads.invokeAll(sent)) {
                applied += response.get() ? 1 : 0;
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(applied).isEqualTo(50);
        assertThat(counted.value()).isEqualTo(50);
    }

    @Test
    void areObserved() {
        scope.execute(key, this::add);
        scope.execute(key, this::add);

        assertThat(observed("applied")).isEqualTo(1);
        assertThat(observed("replayed")).isEqualTo(1);
    }

    private long observed(String outcome) {
        return meters.get("fbf.operation")
                .tags("scope", "payments", "outcome", outcome)
                .timer()
                .count();
    }

    @Test
    void needAScopeWithAName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> operations.scope("a b"))
                .withMessageStartingWith("scope=a b: must have 1 to 200 letters");
    }

    @Test
    void ofABeanWithAnUnknownTransactionManagerStopTheStart() {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> start(
                        mode,
                        dataSource,
                        "none",
                        context -> context.registerBean(
                                IdempotentScope.class,
                                () -> context.getBean(IdempotentOperations.class)
                                        .builder("payments")
                                        .transactionManager("none")
                                        .build())))
                .withMessage("The scope payments of IdempotentOperations: transactionManager=none names no transaction"
                        + " manager. There are: transactions of the data source dataSource.");
    }

    private static <T> T inThread(Callable<T> task) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            return thread.submit(task).get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        } finally {
            thread.shutdownNow();
        }
    }
}
