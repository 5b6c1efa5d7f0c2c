package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An application that is killed, and whose next process finds a directory that is not as it was left: put back to an earlier moment, without a
 * file, with an older file, or on a disk that had failed or was full. So many rounds as {@code torture.directory.rounds} says. A directory that is
 * whole, wherever it is moved to, raises no alarm in as many lives as {@code torture.directory.lives} says.
 */
@Tag("nightly")
@Timeout(value = 6, unit = TimeUnit.HOURS)
class DirectoryFaultsTest extends Replicas {

    private static final int ROUNDS = Integer.getInteger("torture.directory.rounds", 12);
    private static final int CLIENTS = 4;
    private static final Duration WINDOW = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** After so many milliseconds the beat of the directory is higher: it is raised every 5 s. */
    private static final int BEAT = 6_000;

    private enum Fault {
        NONE,
        ROLLED_BACK,
        FILE_LOST,
        FILE_ROLLED_BACK,
        DISK_FAILED,
        /** It is full until the next process has begun to start. */
        DISK_FULL
    }

    /** What happens to an application whose directory stays whole. */
    private enum Move {
        KILLED,
        ENDED,
        KILLED_AND_MOVED,
        ENDED_AND_MOVED
    }

    private record Sent(String key, long nanos) {

        boolean mayBeRetried() {
            return System.nanoTime() - nanos < WINDOW.minusSeconds(1).toNanos();
        }
    }

    private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private volatile boolean sending;

    @Test
    void noOperationIsLostOrDoubledWhateverBefallsItsDirectory() throws Exception {
        long seed = Long.getLong("torture.directory.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path mounted = directory.resolve("disk");
        Map<Fault, Integer> rounds = new EnumMap<>(Fault.class);
        int retries = 0;
        try (LoopDisk disk = LoopDisk.mount(directory.resolve("image"), mounted)) {
            Path files = mounted.resolve("fbf");
            Replica app = launch(files).awaitReady();
            for (int round = 0; round < ROUNDS; round++) {
                Fault fault = Fault.values()[round % Fault.values().length];
                Path snapshot = directory.resolve("snapshot");
                List<Thread> clients = startClients(app, round);
                sleep(random.nextInt(2_000));
                copy(files, snapshot);
                sleep((fault == Fault.NONE ? 200 : BEAT) + random.nextInt(2_000));
                if (fault == Fault.DISK_FAILED) {
                    disk.fail();
                    int millis = random.nextInt(12_000);
                    sleep(millis);
                    if (millis > 8_000) {
                        assertThat(app.readiness()).as("once it has noticed").isEqualTo(503);
                    }
                }
                if (fault == Fault.DISK_FULL) {
                    disk.fill();
                    sleep(random.nextInt(2_000));
                }
                app.close();
                stop(clients);
                befall(fault, files, snapshot, disk, random);
                disk.sync();
                Directories.delete(snapshot);

                app = launch(files);
                if (fault == Fault.DISK_FULL) {
                    sleep(random.nextInt(8_000));
                    app.close();
                    disk.free();
                    app = launch(files);
                }
                retries += retryAll(app);
                app.awaitReady(WINDOW.plus(LEASE).plusSeconds(60));
                verify(round + ", " + fault);
                if (fault == Fault.NONE || fault == Fault.DISK_FULL) {
                    assertRaisesNoAlarm(app);
                }
                rounds.merge(fault, 1, Integer::sum);
            }
            app.close();
        }
        System.out.printf(
                "rounds %s: %d operations acknowledged, %d retries after kills, 0 lost, 0 doubled%n",
                rounds, acknowledged.size(), retries);
        assertThat(acknowledged).isNotEmpty();
        assertThat(retries).isPositive();
    }

    @Test
    void aDirectoryThatIsWholeRaisesNoAlarm() throws Exception {
        long seed = Long.getLong("torture.directory.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int lives = Integer.getInteger("torture.directory.lives", 20);
        Path files = directory.resolve("fbf-0");
        Replica app = launch(files).awaitReady();
        for (int life = 1; life <= lives; life++) {
            Move move = Move.values()[life % Move.values().length];
            List<Thread> clients = startClients(app, life);
            sleep(random.nextInt(600));
            boolean isKilled = move == Move.KILLED || move == Move.KILLED_AND_MOVED;
            if (isKilled) {
                app.close();
            } else {
                app.stop();
            }
            stop(clients);
            assertRaisesNoAlarm(app);
            if (move == Move.KILLED_AND_MOVED || move == Move.ENDED_AND_MOVED) {
                files = Files.move(files, directory.resolve("fbf-" + life));
            }
            app = launch(files).awaitReady();
            retryAll(app);
            verify(life + ", " + move);
        }
        app.close();
        assertRaisesNoAlarm(app);
        System.out.printf(
                "%d lives: %d operations acknowledged, 0 lost, 0 doubled, no alarm%n", lives, acknowledged.size());
        assertThat(acknowledged).hasSizeGreaterThan(lives);
    }

    private static void assertRaisesNoAlarm(Replica app) throws IOException {
        assertThat(app.log())
                .doesNotContain("is older than the database")
                .doesNotContain("are refused for")
                .doesNotContain("has forgotten")
                .doesNotContain("No operation is admitted");
    }

    private Replica launch(Path files) throws IOException {
        Path log = directory.resolve("app.log");
        Files.deleteIfExists(log);
        return Replica.launch(
                FixedPorts.free(),
                log,
                server.get().url(),
                files,
                "fbf.mode=filter",
                "fbf.retry-window=" + WINDOW.toSeconds() + "s");
    }

    private List<Thread> startClients(Replica app, int round) {
        sending = true;
        sent.clear();
        List<Thread> clients = IntStream.range(0, CLIENTS)
                .mapToObj(client -> new Thread(() -> send(app, "round-" + round + "-client-" + client + "-")))
                .toList();
        clients.forEach(Thread::start);
        return clients;
    }

    private void send(Replica app, String prefix) {
        try {
            for (int i = 0; sending; i++) {
                Sent operation = new Sent(prefix + i, System.nanoTime());
                sent.add(operation);
                if (Replica.post(app.port(), PATH, operation.key) == 200) {
                    acknowledged.add(operation.key);
                } else {
                    sleep(20);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop(List<Thread> clients) throws InterruptedException {
        sending = false;
        for (Thread client : clients) {
            client.join();
        }
    }

    private static void befall(Fault fault, Path files, Path snapshot, LoopDisk disk, Random random)
            throws IOException, InterruptedException {
        switch (fault) {
            case NONE, DISK_FULL -> {}
            case ROLLED_BACK -> {
                Directories.delete(files);
                Directories.copy(snapshot, files);
            }
            case FILE_LOST -> Files.delete(any(files, random));
            case FILE_ROLLED_BACK -> {
                Path file = any(snapshot, random);
                Files.copy(file, files.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
            case DISK_FAILED -> disk.mountAgain();
        }
    }

    private static Path any(Path files, Random random) throws IOException {
        try (Stream<Path> all = Files.list(files)) {
            List<Path> candidates =
                    all.filter(file -> !file.endsWith("fbf.lock")).sorted().toList();
            return candidates.get(random.nextInt(candidates.size()));
        }
    }

    /** As somebody does who makes a backup of a directory in use. */
    private static void copy(Path files, Path copy) throws IOException {
        Files.createDirectories(copy);
        try (Stream<Path> all = Files.list(files)) {
            for (Path file : all.filter(each -> !each.endsWith("fbf.lock")).toList()) {
                try {
                    Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
                } catch (NoSuchFileException e) {
                    Files.deleteIfExists(copy.resolve(file.getFileName()));
                }
            }
        }
    }

    /** Sends again what was sent before the kill, acknowledged or not, while that is a retry; returns how many got a response. */
    private int retryAll(Replica app) throws InterruptedException {
        List<Sent> left = new ArrayList<>(sent);
        int responses = 0;
        while (!left.isEmpty()) {
            List<Sent> again = new ArrayList<>();
            for (Sent operation : left) {
                if (!operation.mayBeRetried()) {
                    continue;
                }
                int status = Replica.post(app.port(), PATH, operation.key);
                responses += status == 0 ? 0 : 1;
                if (status == 200) {
                    acknowledged.add(operation.key);
                } else {
                    again.add(operation);
                    sleep(status == 0 ? 50 : 5);
                }
            }
            left = again;
        }
        return responses;
    }

    private void verify(String when) throws Exception {
        assertThat(
                        number(
                                "SELECT count(*) FROM (SELECT operation FROM torture_applied GROUP BY operation HAVING count(*) > 1) AS twice"))
                .as("doubled in round " + when)
                .isZero();
        long applied = number("SELECT count(*) FROM torture_applied WHERE operation IN ('"
                + String.join("', '", acknowledged) + "')");
        assertThat(applied)
                .as("acknowledged in round " + when)
                .isEqualTo(acknowledged.stream().distinct().count());
    }

    private static void sleep(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }
}
