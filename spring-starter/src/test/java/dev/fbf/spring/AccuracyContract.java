package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
 * <p>Each operation is sent by two threads at once; each of them sends it again after one response in five, and until it
 * gets through; one try in ten fails after its SQL and rolls back.
 */
@ExtendWith(PostgresExtension.class)
abstract class AccuracyContract {

    private static final int THREADS = 16;
    private static final int COUNTERS = 5;

    /** Shorter than a transaction, so that a sender that waits for another one meets its commit. */
    private static final Duration PAUSE = Duration.ofNanos(100_000);

    @TempDir
    private Path directory;

    private final int operations;
    private final int nodes;
    private final String[] dataSource;
    private final String[] properties;

    /**
     * @param nodes how many applications share the database; each try goes to one of them at random
     * @param dataSource properties by which the application reaches its PostgreSQL
     * @param properties further ones
     */
    AccuracyContract(int operations, int nodes, String[] dataSource, String... properties) {
        this.operations = operations;
        this.nodes = nodes;
        this.dataSource = dataSource;
        this.properties = properties;
    }

    static String[] in(EmbeddedPostgres postgres, String database) {
        PostgresExtension.newDatabase(postgres, database);
        return new String[] {
            "spring.datasource.url=" + PostgresExtension.url(database), "spring.datasource.username=postgres"
        };
    }

    @Test
    void countersAreExactUnderRetriesConcurrentDuplicatesAndRollbacks() throws Exception {
        List<ConfigurableApplicationContext> nodes = new ArrayList<>();
        try {
            for (int node = 0; node < this.nodes; node++) {
                nodes.add(start(directory.resolve("node-" + node)));
            }
            JdbcClient jdbc = nodes.get(0).getBean(JdbcClient.class);
            List<Votes> votes =
                    nodes.stream().map(node -> node.getBean(Votes.class)).toList();
            Tally tally = new Tally();

            sendAll(votes, tally);

            for (int counter = 0; counter < COUNTERS; counter++) {
                assertThat(value(jdbc, counter)).as("counter %d", counter).isEqualTo(operations / COUNTERS);
            }
            assertThat(tally.applied.get()).isEqualTo(operations);
            // what the counters would be off by, had nobody minded the retries
            assertThat(tally.duplicates.get()).isGreaterThan(operations);
            assertThat(tally.rollbacks.get()).isGreaterThan(operations / 20);
        } finally {
            nodes.forEach(ConfigurableApplicationContext::close);
        }
    }

    private ConfigurableApplicationContext start(Path nodeDirectory) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        AbsentLibraries.NONE,
                        "fbf.mode=filter",
                        "fbf.directory=" + nodeDirectory)
                .properties(dataSource)
                .properties(properties)
                .run();
    }

    private void sendAll(List<Votes> votes, Tally tally) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> senders = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int pair = thread / 2; // two threads send the same operations, in the same order
                Random random = new Random(thread);
                senders.add(executor.submit((Callable<?>) () -> {
                    for (int operation = pair; operation < operations; operation += THREADS / 2) {
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

    private static void sendUntilAnswered(List<Votes> nodes, int operation, Random random, Tally tally) {
        for (; ; ) {
            Votes votes = nodes.get(random.nextInt(nodes.size()));
            try {
                boolean applied = votes.vote("operation-" + operation, operation % COUNTERS, random.nextInt(10) == 0);
                (applied ? tally.applied : tally.duplicates).incrementAndGet();
                return;
            } catch (Failure e) {
                tally.rollbacks.incrementAndGet();
            } catch (OperationInProgressException | OperationUnavailableException e) {
                LockSupport.parkNanos(PAUSE.toNanos()); // in progress, or no room where the disk is slow
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
