package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationInProgressException;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.dao.DataAccessException;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** Advice of the user's own round a guarded method: round the claim, or between the claim and the operation's entry in its transaction. */
@GuardedApp(
        beans = {
            AdviceTest.Retried.class,
            AdviceTest.RetriedBelow.class,
            AdviceTest.Resilience.class,
            AdviceTest.AroundPostProcessor.class
        })
class AdviceTest extends CountingAppTest {

    private final RuntimeException mine = new IllegalArgumentException("mine");

    private static final Around around = new Around();

    @BeforeEach
    void goOn() {
        around.advice = MethodInvocation::proceed;
    }

    @Test
    void whatIsTriedAgainAfterARollbackIsAppliedOnce() throws Exception {
        around.advice = AdviceTest::tryTwice;
        Failing failing = new Failing(1);

        assertThat(counter.countAnd("a", failing)).isEqualTo("counted");

        assertThat(failing.calls.get()).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void whatFailsEachTimeIsNew() throws Exception {
        around.advice = AdviceTest::tryTwice;

        assertThatThrownBy(() -> counter.countAnd("a", new Failing(2))).isSameAs(mine);

        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void whatIsCalledAgainThoughItWasAppliedIsAppliedOnce() {
        around.advice = call -> {
            proceed(call);
            return proceed(call);
        };

        assertThat(counter.count("a")).isEqualTo("counted before: a");

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void adviceThatNeverProceedsAnswersInTheMethodsSteadAndTheOperationIsNew() {
        around.advice = call -> "closed on Sundays";
        assertThat(counter.count("a")).isEqualTo("closed on Sundays");
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void adviceThatThrowsInsteadOfProceedingFreesTheOperation() {
        around.advice = call -> {
            throw mine;
        };
        assertThatThrownBy(() -> counter.count("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(counter.count("a")).isEqualTo("counted");
    }

    /** It is part of the method, which the operation has entered. */
    @Test
    void adviceWithinTheTransactionThatRespondsInTheMethodsSteadAppliesTheOperation() {
        around.advice = call -> "closed on Sundays";
        assertThat(counter.countTransactionally("a")).isEqualTo("closed on Sundays");
        around.advice = MethodInvocation::proceed;

        assertThat(counter.count("a")).isEqualTo("counted before: a");
        assertThat(counted.value()).isZero();
    }

    @Test
    void adviceWithinTheTransactionThatThrowsFreesTheOperation() {
        around.advice = call -> {
            throw mine;
        };
        assertThatThrownBy(() -> counter.countTransactionally("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isZero();
        assertThat(counter.countTransactionally("a")).isEqualTo("counted");
    }

    @Test
    void adviceThatThrowsWhenTheMethodHasCommittedComesTooLate() {
        around.advice = call -> {
            call.proceed();
            throw mine;
        };
        assertThatThrownBy(() -> counter.count("a")).isSameAs(mine);
        around.advice = MethodInvocation::proceed;

        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("a")).isEqualTo("counted before: a");
    }

    @Test
    void aRetryInTheCallersTransactionFindsTheOperationInProgress() {
        around.advice = AdviceTest::tryTwice;

        app.transaction.executeWithoutResult(status -> {
            assertThatThrownBy(() -> counter.countAnd("a", new Failing(1)))
                    .isInstanceOf(OperationInProgressException.class);
            status.setRollbackOnly();
        });

        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aRetryableMethodIsAppliedOnce() throws Exception {
        Failing failing = new Failing(1);

        assertThat(app.bean(Retried.class).count("a", counter, failing)).isEqualTo("counted");

        assertThat(failing.calls.get()).isEqualTo(2);
        assertThat(counted.value()).isEqualTo(1);
        assertThat(counter.count("inner a")).isEqualTo("counted before: inner a");
    }

    /** Its second try is within the transaction that the first one has spoilt. */
    @Test
    void aRetryBelowAGuardedMethodCannotSucceedAndTheOperationIsNew() {
        RetriedBelow below = app.bean(RetriedBelow.class);
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> counter.countAnd(
                        "a",
                        () -> below.run(() -> {
                            if (calls.incrementAndGet() == 1) {
                                jdbc.sql("SELECT 1 / 0").query().singleValue();
                            }
                        })))
                .isInstanceOf(DataAccessException.class);

        assertThat(calls.get()).isEqualTo(2);
        assertThat(counted.value()).isZero();
        assertThat(counter.count("a")).isEqualTo("counted");
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
    static final class AroundPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        AroundPostProcessor() {
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
