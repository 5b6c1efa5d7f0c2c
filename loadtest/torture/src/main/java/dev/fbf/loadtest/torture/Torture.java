package dev.fbf.loadtest.torture;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FileOfTheDead;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Kills one victim after the other, looks for what each acknowledged, writes the JSON, and prints the table last. */
public final class Torture {

    /*
     * All victims open the same directory, and find it as the one before left it: what is looked into is a copy. The
     * copy is made and opened after the kill, at which no put can come any more.
     *
     * Whether an operation must be found is judged by the time before its put and the time after the look: both err on
     * the side of too old. Older operations must be found as well, until their window has passed: later victims have
     * gone on with their generations.
     */
    private static final int KILLED_BY_SIGNAL = 128 + 9;

    /** Every so often the directory is new, so that some victims are killed while they make their files. */
    private static final int KILLS_OF_A_DIRECTORY = 10;

    private static final int MICROS_OF_OPENING = 200_000;
    private static final int MICROS_OF_LIFE = 500_000;

    private static final int ABSENT = 1_000;

    /** Filters keep their own time, which may be a moment off. */
    private static final long TOLERANCE_MILLIS = 5;

    private final Path root;
    private final Random random;
    private final TortureReport report;
    private final Deque<Integer> victims = new ArrayDeque<>();

    private Torture(Path root, long seed, TortureReport report) {
        this.root = root;
        this.random = new Random(seed);
        this.report = report;
    }

    /** Exits with 1 if an acknowledged operation was lost, or nothing was there to be lost. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path json = Path.of(System.getProperty("torture.result", "target/results/torture.json"))
                .toAbsolutePath();
        Path root = Path.of(System.getProperty("torture.directory", "target/torture"));
        TortureReport report = new TortureReport();
        Torture torture = new Torture(root, Long.getLong("torture.seed", 1), report);
        int kills = Integer.getInteger("torture.kills", 5);
        Path directory = root;
        for (int victim = 0; victim < kills; victim++) {
            if (victim % KILLS_OF_A_DIRECTORY == 0) {
                deleteAll(root);
                directory = Files.createDirectories(root.resolve("victims")).resolve("filters");
                torture.victims.clear();
            }
            torture.kill(victim, directory);
            torture.lookFor(directory);
        }
        deleteAll(root);
        Files.createDirectories(json.getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report.json()));
        System.out.print(report.table());
        System.exit(report.passed() ? 0 : 1);
    }

    private void kill(int victim, Path directory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        Integer.toString(victim),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        victims.addFirst(victim);
        boolean whileOpening = random.nextInt(4) == 0;
        await(process, Victim.OPENING);
        if (whileOpening) {
            TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_OPENING));
        } else {
            await(process, Victim.OPEN);
            TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_LIFE));
        }
        int exit = process.destroyForcibly().waitFor();
        if (exit != KILLED_BY_SIGNAL) {
            throw new IllegalStateException("victim " + victim + " was not killed but ended with " + exit);
        }
        boolean opened = acknowledged(directory, victim) > 0;
        report.killed(opened, opened && wasClearing(directory));
    }

    private static void await(Process process, int sign) throws IOException {
        int read = process.getInputStream().read();
        if (read != sign) {
            throw new IllegalStateException("the victim ended by itself: it wrote " + read + ", not " + sign);
        }
    }

    private static boolean wasClearing(Path directory) throws IOException {
        boolean clearing = false;
        for (Scope scope : Scope.values()) {
            for (Path file : scope.files(directory)) {
                clearing |= FileOfTheDead.wasClearing(file);
            }
        }
        return clearing;
    }

    private static long acknowledged(Path directory, int victim) throws IOException {
        long acknowledged = 0;
        for (int thread = 0; thread < Victim.THREADS; thread++) {
            acknowledged += new Acknowledgements(Victim.log(directory, victim, thread)).count();
        }
        return acknowledged;
    }

    private void lookFor(Path directory) throws IOException {
        Path copy = Files.createDirectories(root.resolve("copy"));
        try (FilterDirectory opened = FilterDirectory.open(copy)) {
            for (Scope scope : Scope.values()) {
                List<Path> files = Files.exists(directory) ? scope.files(directory) : List.of();
                for (Path file : files) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
                if (!files.isEmpty()) {
                    lookFor(scope, opened.filter(scope.toString(), scope.plan()), directory);
                }
            }
        }
        deleteAll(copy);
    }

    private void lookFor(Scope scope, ForgetfulBloomFilter filter, Path directory) throws IOException {
        long window = scope.plan().window().toMillis() - TOLERANCE_MILLIS;
        boolean within = true;
        for (int victim : victims) {
            if (!within) {
                break; // all others are older
            }
            within = false;
            for (int thread = 0; thread < Victim.THREADS; thread++) {
                Acknowledgements acknowledgements = new Acknowledgements(Victim.log(directory, victim, thread));
                for (int index = acknowledgements.count() - 1; index >= 0; index--) {
                    if (Scope.of(index) != scope) {
                        continue;
                    }
                    boolean found = filter.mightContain(Scope.operation(victim, thread, index));
                    long age = System.currentTimeMillis() - acknowledgements.millisBeforePut(index);
                    if (age >= window) {
                        break;
                    }
                    within = true;
                    report.lookedFor(scope, found);
                }
            }
        }
        for (int i = 0; i < ABSENT; i++) {
            report.lookedForAbsent(filter.mightContain(new OperationId(-1, random.nextLong())));
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> paths = Files.walk(directory)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
