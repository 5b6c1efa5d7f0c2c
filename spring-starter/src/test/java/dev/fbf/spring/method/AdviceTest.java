package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** Advice of the user's own round a guarded method: round the claim, or between the claim and the operation's entry in its transaction. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
class AdviceTest {

    private final RuntimeException mine = new IllegalArgumentException("mine");

    private static final Around around = new Around();

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private CountedTable counted;

    @SuppressWarnings("UnusedVariable") // the application has it
    AdviceTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, dataSource);
            CallerOfTheTest.addTo(context);
            context.registerBean(Retried.class);
            context.registerBean(RetriedBelow.class);
            context.register(Resilience.class);
            context.registerBean(AroundPostProcessor.class, () -> new AroundPostProcessor(around));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        around.advice = MethodInvocation::proceed;
    }

    @Test
    void whatIsTriedAgainAfterARollbackIsAppliedOnce() throws Exception {
        around.advice = AdviceTest::tryTwice;
        Failing failing = new Failing(1);

        assertThat(app.counter.countAnd("a", failing)).isEqualTo("counted");

        assertThat(failing.calls.get()).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(1);
        assertThat(app.counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void whatFailsEachTimeIsNew() throws Exception {
        around.advice = AdviceTest::tryTwice;

        assertThatThrownBy(() -> app.counter.countAnd("a", new Failing(2))).isSameAs(mine);

        assertThat(counted.value()).isZero();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void whatIsCalledAgainThoughItWasAppliedIsAppliedOnce() {
        around.advice = call -> {
            proceed(call);
            return proceed(call);
        };

        assertThat(app.counter.count("a")).isEqualTo("counted before: a");

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void adviceThatNeverProceedsAnswersInTheMethodsSteadAndTheOperationIsNew() {
        around.advice = call -> "closed on Sundays";
        assertThat(app.counter.count("a")).isEqualTo("closed on Sundays");
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isZero();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void adviceThatThrowsInsteadOfProceedingFreesTheOperation() {
        around.advice = call -> {
            throw mine;
        };
        assertThatThrownBy(() -> app.counter.count("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void adviceWithinTheTransactionThatDoesNotProceedFreesTheOperation() {
        around.advice = call -> "closed on Sundays";
        assertThat(app.counter.countTransactionally("a")).isEqualTo("closed on Sundays");
        around.advice = call -> {
            throw mine;
        };
        assertThatThrownBy(() -> app.counter.countTransactionally("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isZero();
        assertThat(app.counter.countTransactionally("a")).isEqualTo("counted");
    }

    /** The advice lets the transaction commit what the first try has done. */
    @Test
    void whatIsTriedAgainWithinTheTransactionIsAppliedOnce() {
        around.advice = AdviceTest::tryTwice;

        assertThatThrownBy(() -> app.counter.countTransactionallyAnd("a", new Failing(1)))
                .isInstanceOf(OperationInProgressException.class);

        assertThat(counted.value()).isEqualTo(1);
        assertThat(app.counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void adviceThatThrowsWhenTheMethodHasCommittedComesTooLate() {
        around.advice = call -> {
            call.proceed();
            throw mine;
        };
        assertThatThrownBy(() -> app.counter.count("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isEqualTo(1);
        assertThat(app.counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void aRetryInTheCallersTransactionFindsTheOperationInProgress() {
        around.advice = AdviceTest::tryTwice;

        app.transaction.executeWithoutResult(status -> {
            assertThatThrownBy(() -> app.counter.countAnd("a", new Failing(1)))
                    .isInstanceOf(OperationInProgressException.class);
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aRetryableMethodIsAppliedOnce() throws Exception {
        Failing failing = new Failing(1);

        assertThat(app.bean(Retried.class).count("a", app.counter, failing)).isEqualTo("counted");

        assertThat(failing.calls.get()).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(2 - 1);
        assertThat(app.counter.count("inner a")).isEqualTo("counted before: inner a");
    }

    /** Its second try is within the transaction that the first one has spoilt. */
    @Test
    void aRetryBelowAGuardedMethodCannotSucceedAndTheOperationIsNew(DataSource dataSource) {
        RetriedBelow below = app.bean(RetriedBelow.class);
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> app.counter.countAnd(
                        "a",
                        () -> below.run(() -> {
                            if (calls.incrementAndGet() == 1) {
                                JdbcClient.create(dataSource)
                                        .sql("SELECT 1 / 0")
                                        .query()
                                        .singleValue();
                            }
                        })))
                .isInstanceOf(DataAccessException.class);

        assertThat(calls.get()).isEqualTo(2);
        assertThat(counted.value()).isZero();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    private static @Nullable Object tryTwice(MethodInvocation call) throws Throwable {
        try {
            return proceed(call);
        } catch (RuntimeException e) {
            return proceed(call);
        }
    }

    private static @Nullable Object proceed(MethodInvocation call) throws Throwable {
        return ((ProxyMethodInvocation) call).invocableClone().proceed();
    }

    /** What a test does round a guarded call. */
    private static final class Around implements MethodInterceptor {

        private MethodInterceptor advice = MethodInvocation::proceed;

        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            return advice.invoke(call);
        }
    }

    /** Behind the advice of transactions. */
    private static final class AroundPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        AroundPostProcessor(Around around) {
            NameMatchMethodPointcutAdvisor counts = new NameMatchMethodPointcutAdvisor(around);
            counts.setMappedNames("count", "countAnd", "countTransactionally", "countTransactionallyAnd");
            counts.setClassFilter(Counter.class::equals);
            advisor = counts;
            setProxyTargetClass(true);
        }
    }

    /** Fails the first times. */
    private final class Failing implements Counter.Action {

        private final int times;
        private final AtomicInteger calls = new AtomicInteger();

        Failing(int times) {
            this.times = times;
        }

        @Override
        public void run() {
            if (calls.incrementAndGet() <= times) {
                throw mine;
            }
        }
    }

    static class Retried {

        @Retryable(maxRetries = 2, delay = 1)
        @Transactional
        @IdempotentIncrement(scope = "retried", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        String count(String key, Counter counter, Counter.Action action) throws Exception {
            String result = counter.count("inner " + key);
            action.run();
            return result;
        }
    }

    static class RetriedBelow {

        @Retryable(maxRetries = 1, delay = 1)
        public void run(Counter.Action action) throws Exception {
            action.run();
        }
    }

    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilience {}
}
