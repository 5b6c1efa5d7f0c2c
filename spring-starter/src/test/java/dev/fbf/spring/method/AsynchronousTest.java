package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** Guarded methods that another thread executes: that thread takes the claim, and holds it until its work is committed. */
@GuardedApp(
        beans = {
            AsynchronousTest.Asynchrony.class,
            AsynchronousTest.Later.class,
            AsynchronousTest.LaterAsAWhole.class,
            AsynchronousTest.Elsewhere.class,
            AsynchronousTest.ElsewherePostProcessor.class
        })
class AsynchronousTest extends CountingAppTest {

    private static final Worker worker = new Worker();

    @BeforeEach
    void forgetThreads() {
        app.bean(Threads.class).names.clear();
    }

    @Test
    void theThreadThatDoesTheWorkTakesTheClaim() throws Exception {
        String key = CallerOfTheTest.current();
        app.bean(Later.class).count(key, counter);
        app.bean(LaterAsAWhole.class).count(key, counter);
        worker.awaitAll();

        assertThat(app.bean(Threads.class).names).containsExactly(Worker.NAME, Worker.NAME);
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void aRetryIsNotAppliedAgain() throws Exception {
        String key = CallerOfTheTest.current();
        for (int i = 0; i < 20; i++) {
            app.bean(Later.class).count(key, counter);
        }
        worker.awaitAll();

        assertThat(counted.value()).isEqualTo(1);
    }

    /** As Spring Modulith's {@code @ApplicationModuleListener} is. */
    @Test
    void anEventThatIsPublishedAgainIsAppliedOnce() throws Exception {
        Event event = new Event(CallerOfTheTest.current(), counter);
        for (int i = 0; i < 2; i++) {
            app.transaction.executeWithoutResult(status -> app.publish(event));
            worker.awaitAll();
        }

        assertThat(app.bean(Threads.class).names).containsExactly(Worker.NAME, Worker.NAME);
        assertThat(counted.value()).isEqualTo(1);
    }

    /** It would free the claim while the other thread uses it. */
    @Test
    void otherAdviceThatGoesOnOnAnotherThreadIsRefused() {
        Elsewhere elsewhere = app.bean(Elsewhere.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> elsewhere.countElsewhere(CallerOfTheTest.current(), counter))
                .withMessageStartingWith("scope=elsewhere: ")
                .withMessageContaining("another thread");
        assertThat(counted.value()).isZero();
    }

    static class Later {

        @Async
        @IdempotentIncrement(scope = "later", key = "@threads.note(#key)")
        public void count(String key, Counter counter) {
            counter.countSilently(key + " later");
        }

        @Async
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @TransactionalEventListener
        @IdempotentIncrement(scope = "listener", key = "@threads.note(#event.key)")
        public void on(Event event) {
            event.counter.countSilently(event.key + " event");
        }
    }

    @Async
    static class LaterAsAWhole {

        @IdempotentIncrement(scope = "later-as-a-whole", key = "@threads.note(#key)")
        public void count(String key, Counter counter) {
            counter.countSilently(key + " as a whole");
        }
    }

    record Event(String key, Counter counter) {}

    static class Elsewhere {

        @IdempotentIncrement(scope = "elsewhere", key = "#key")
        public void countElsewhere(String key, Counter counter) {
            counter.countSilently(key + " elsewhere");
        }
    }

    /** Behind what fbf puts first, before what it puts last. */
    static final class ElsewherePostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        ElsewherePostProcessor() {
            NameMatchMethodPointcutAdvisor counts =
                    new NameMatchMethodPointcutAdvisor((MethodInterceptor) worker::call);
            counts.setMappedName("countElsewhere");
            advisor = counts;
            setProxyTargetClass(true);
        }
    }

    /** The threads that have asked for a key. */
    public static class Threads {

        private final List<String> names = new CopyOnWriteArrayList<>();

        public String note(String key) {
            names.add(Thread.currentThread().getName());
            return key;
        }
    }

    /** Executes everything on one thread. */
    private static final class Worker extends TaskExecutorAdapter {

        static final String NAME = "worker";

        Worker() {
            super(Executors.newSingleThreadExecutor(work -> {
                Thread made = new Thread(work, NAME);
                made.setDaemon(true);
                return made;
            }));
        }

        @Nullable Object call(MethodInvocation invocation) throws Throwable {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Callable<@Nullable Object> proceeding = () -> {
                try {
                    return invocation.proceed();
                } catch (Throwable e) {
                    failure.set(e);
                    return null;
                }
            };
            Object result = submit(proceeding).get();
            if (failure.get() != null) {
                throw failure.get();
            }
            return result;
        }

        void awaitAll() throws Exception {
            submit(() -> {}).get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchrony {

        @Bean
        static AsyncTaskExecutor taskExecutor() {
            return worker;
        }

        @Bean
        static Threads threads() {
            return new Threads();
        }
    }
}
