package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Many threads, many retries, one number: an application as a user writes it, on a real PostgreSQL.
 *
 * <p>Each operation is sent by two threads at once; each of them sends it again after one answer in five, and until it
 * gets through; one try in ten fails after its SQL and rolls back.
 */
abstract class AccuracyContract {

    private static final int THREADS = 16;
    private static final int COUNTERS = 5;

    @TempDir
    private Path directory;

    /** How the application reaches its PostgreSQL. */
    abstract String[] dataSourceProperties();

    @Test
    void countersAreExactUnderRetriesConcurrentDuplicatesAndRollbacks() throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "spring.flyway.enabled=false", "fbf.directory=" + directory)
                .properties(dataSourceProperties())
                .run()) {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            Votes votes = context.getBean(Votes.class);
            Tally tally = new Tally();

            sendAll(votes, tally);

            for (int counter = 0; counter < COUNTERS; counter++) {
                assertThat(value(jdbc, counter)).as("counter %d", counter).isEqualTo(OPERATIONS / COUNTERS);
            }
            assertThat(tally.applied.get()).isEqualTo(OPERATIONS);
            // what the counters would be off by, had nobody minded the retries
            assertThat(tally.duplicates.get()).isGreaterThan(OPERATIONS);
            assertThat(tally.rollbacks.get()).isGreaterThan(OPERATIONS / 20);
        }
    }

    private static void sendAll(Votes votes, Tally tally) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> senders = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int pair = thread / 2; // two threads send the same operations, in the same order
                Random random = new Random(thread);
                senders.add(executor.submit((Callable<?>) () -> {
                    for (int operation = pair; operation < OPERATIONS; operation += THREADS / 2) {
                        do {
                            sendUntilAnswered(votes, operation, random, tally);
                        } while (random.nextInt(5) == 0);
                    }
                    return true;
                }));
            }
            for (Future<?> sender : senders) {
                sender.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void sendUntilAnswered(Votes votes, int operation, Random random, Tally tally) {
        for (; ; ) {
            try {
                boolean applied = votes.vote("operation-" + operation, operation % COUNTERS, random.nextInt(10) == 0);
                (applied ? tally.applied : tally.duplicates).incrementAndGet();
                return;
            } catch (Failure e) {
                tally.rollbacks.incrementAndGet();
            } catch (OperationInProgressException e) {
                Thread.onSpinWait();
            }
        }
    }

    private static long value(JdbcClient jdbc, int counter) {
        return jdbc.sql("SELECT value FROM fbf_counter WHERE name = ?")
                .param("votes-" + counter)
                .query(Long.class)
                .single();
    }

    private static final class Tally {
        private final AtomicLong applied = new AtomicLong();
        private final AtomicLong duplicates = new AtomicLong();
        private final AtomicLong rollbacks = new AtomicLong();
    }

    /** What goes wrong in the user's own code. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The user's service. */
    static class Votes {

        private final JdbcClient jdbc;

        Votes(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @IdempotentIncrement(scope = "votes", key = "#operation", onDuplicate = "alreadyCounted")
        boolean vote(String operation, int counter, boolean fail) {
            jdbc.sql(
                            "INSERT INTO fbf_counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = fbf_counter.value + 1")
                    .param("votes-" + counter)
                    .update();
            if (fail) {
                throw new Failure();
            }
            return true;
        }

        boolean alreadyCounted(String operation, int counter, boolean fail) {
            return false;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Votes votes(JdbcClient jdbc) {
            return new Votes(jdbc);
        }
    }
}
