package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
@GuardedApp(beans = {AsynchronousTest.Asynchrony.class, AsynchronousTest.Later.class, AsynchronousTest.Listener.class})
class AsynchronousTest extends CountingAppTest {

    private static final Worker worker = new Worker();

    @BeforeEach
    void forgetThreads() {
        app.bean(Threads.class).names.clear();
    }

    @Test
    void theThreadThatDoesTheWorkTakesTheClaimAndARetryIsNotAppliedAgain() throws Exception {
        String key = CallerOfTheTest.current();
        app.bean(Later.class).count(key, counter);
        app.bean(Later.class).count(key, counter);
        worker.awaitAll();

        assertThat(app.bean(Threads.class).names).containsExactly(Worker.NAME, Worker.NAME);
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

    static class Later {

        @Async
        @IdempotentIncrement(scope = "later", key = "@threads.note(#key)")
        public void count(String key, Counter counter) {
            counter.countSilently(key + " later");
        }

        @IdempotentIncrement(scope = "listener", key = "@threads.note(#event.key)")
        public void count(Event event) {
            event.counter.countSilently(event.key + " event");
        }
    }

    static class Listener {

        private final Later later;

        Listener(Later later) {
            this.later = later;
        }

        @Async
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @TransactionalEventListener
        public void on(Event event) {
            later.count(event);
        }
    }

    record Event(String key, Counter counter) {}

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
