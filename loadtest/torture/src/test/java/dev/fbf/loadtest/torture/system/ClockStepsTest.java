package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.FixedPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Applications and PostgreSQL whose wall clocks are set while they run, one at a time, and set right again. All cases together take so many minutes
 * as {@code torture.clocks.minutes} says, and some for their starts.
 */
@Tag("nightly")
@Timeout(value = 6, unit = TimeUnit.HOURS)
class ClockStepsTest {

    private static final int CASES = 5;
    private static final long SECONDS =
            (long) (60 * Double.parseDouble(System.getProperty("torture.clocks.minutes", "0.7")) / CASES);
    private static final List<Integer> STEPS = List.of(300, -300, 86_400, -86_400, 3, -3);
    private static final int CLIENTS = 4;
    private static final Duration WINDOW = Duration.ofSeconds(20);
    private static final Duration MARGIN = Duration.ofSeconds(2);

    /** Hosts that agree within {@code fbf.key.max-skew}. */
    private static final List<Duration> HOSTS = List.of(Duration.ZERO, Duration.ofMillis(900), Duration.ofMillis(-900));

    private enum KeyType {
        V4,
        V7;

        String next() {
            UUID random = UUID.randomUUID();
            if (this == V4) {
                return random.toString();
            }
            long version7 = System.currentTimeMillis() << 16 | 0x7000 | (random.getMostSignificantBits() & 0xfff);
            return new UUID(version7, random.getLeastSignificantBits()).toString();
        }
    }

    /** An operation, and when it was sent first. */
    private record Sent(KeyType type, String key, long begin) {

        long age() {
            return System.nanoTime() - begin;
        }
    }

    @TempDir
    private Path directory;

    private final Map<String, Sent> acknowledged = new ConcurrentSkipListMap<>();
    private final List<Sent> again = new ArrayList<>();
    private final Map<Integer, LongAdder> statuses = new ConcurrentSkipListMap<>();
    private final AtomicLong retries = new AtomicLong();

    @AutoClose
    private final Clients clients = new Clients();

    @ParameterizedTest(name = "mode={0}, nodes={1}")
    @CsvSource({"filter,1", "ledger,1", "ledger,2", "ledger,3"})
    void noOperationIsLostOrDoubledWhateverClockIsSet(String mode, int nodes) throws Exception {
        long seed = Long.getLong("torture.clocks.seed", System.nanoTime());
        System.out.printf("mode=%s, nodes=%d, seed %d%n", mode, nodes, seed);
        Random random = new Random(seed);
        WallClock databaseClock = WallClock.in(directory.resolve("database.clock"));
        List<WallClock> clocks = new ArrayList<>();
        List<Replica> replicas = new ArrayList<>();
        Map<String, Integer> steps = new TreeMap<>();
        PostgresServer server = PostgresServer.prepare(
                        Path.of("..", "target", "postgres"), directory.resolve("postgres"), FixedPorts.free())
                .startedBy(databaseClock.launcher());
        try (server) {
            server.start();
            new Database(server).create(1);
            for (int node = 0; node < nodes; node++) {
                WallClock clock = WallClock.in(directory.resolve("node-" + node + ".clock"));
                clock.set(HOSTS.get(node));
                clocks.add(clock);
                replicas.add(Replica.launchedBy(
                                clock.launcher(),
                                FixedPorts.free(),
                                directory.resolve("node-" + node + ".log"),
                                server.url(),
                                directory.resolve("node-" + node),
                                "fbf.mode=" + mode,
                                "fbf.retry-window=" + WINDOW.toSeconds() + "s")
                        .awaitReady());
            }
            clients.start(CLIENTS, client -> send(replicas));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() - end < 0) {
                sleep(1_000 + random.nextInt(3_000));
                int which = random.nextInt(nodes + 1);
                int step = STEPS.get(random.nextInt(STEPS.size()));
                WallClock clock = which == nodes ? databaseClock : clocks.get(which);
                Duration right = which == nodes ? Duration.ZERO : HOSTS.get(which);
                clock.set(right.plusSeconds(step));
                sleep(random.nextInt(12_000));
                clock.set(right);
                steps.merge((which == nodes ? "database" : "host") + " by " + step + " s", 1, Integer::sum);
            }
            clients.finish();
            long applied = server.number("SELECT count(*) FROM torture_applied");
            assertThat(server.query(
                            "SELECT operation FROM torture_applied GROUP BY operation HAVING count(*) > 1",
                            row -> String.valueOf(acknowledged.get(row.getString(1)))))
                    .as("none is doubled, now %d", System.nanoTime())
                    .isEmpty();
            assertThat(server.number("SELECT views FROM torture_page")).isEqualTo(applied);
            Set<String> keys =
                    new HashSet<>(server.query("SELECT operation FROM torture_applied", row -> row.getString(1)));
            assertThat(keys.containsAll(acknowledged.keySet()))
                    .as("none is lost")
                    .isTrue();
            System.out.printf(
                    "mode=%s, nodes=%d, steps %s: %d operations acknowledged of %d applied, %d retries, 0 lost, 0 doubled;"
                            + " responses %s%n",
                    mode, nodes, steps, acknowledged.size(), applied, retries.get(), statuses);
            assertThat(acknowledged).isNotEmpty();
        } finally {
            replicas.forEach(Replica::close);
        }
    }

    /** New operations, and retries of earlier ones within the window: a later one relies on right clocks. */
    private void send(List<Replica> replicas) throws InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (clients.isSending()) {
            Sent due = random.nextBoolean() ? anyOfWindow(random) : null;
            Sent operation = due == null ? begin(random) : due;
            if (due != null) {
                retries.incrementAndGet();
            }
            int status =
                    Replica.post(replicas.get(random.nextInt(replicas.size())).port(), Replicas.PATH, operation.key);
            statuses.computeIfAbsent(status, each -> new LongAdder()).increment();
            if (status == 200) {
                acknowledged.put(operation.key, operation);
            } else {
                Clients.pause();
            }
        }
    }

    private Sent begin(Random random) {
        KeyType type = random.nextBoolean() ? KeyType.V4 : KeyType.V7;
        Sent operation = new Sent(type, type.next(), System.nanoTime());
        synchronized (again) {
            again.add(operation);
        }
        return operation;
    }

    /** Any operation that is younger than the window: a retry soon after it finds what a purge has not reached yet. */
    private @Nullable Sent anyOfWindow(Random random) {
        synchronized (again) {
            again.removeIf(operation -> operation.age() > WINDOW.minus(MARGIN).toNanos());
            return again.isEmpty() ? null : again.get(random.nextInt(again.size()));
        }
    }

    private static void sleep(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }
}
