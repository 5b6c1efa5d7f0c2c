package dev.fbf.loadtest.torture;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.filter.WatchedFilter;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.torture.Victim.Acknowledgements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kills one victim after the other, and looks for what each acknowledged. Fails if an acknowledged operation was lost, or
 * nothing was there to be lost.
 */
public final class Torture implements Run {

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

    private final TortureReport report = new TortureReport();
    private final Deque<Integer> victims = new ArrayDeque<>();
    private Path root = Path.of("");
    private Random random = new Random();

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException {
        root = settings.directory();
        random = new Random(settings.integer("seed"));
        int kills = settings.atLeastOne("kills");
        Path directory = root;
        for (int victim = 0; victim < kills; victim++) {
            if (victim % KILLS_OF_A_DIRECTORY == 0) {
                Directories.delete(root);
                directory = Files.createDirectories(root.resolve("victims")).resolve("filters");
                victims.clear();
            }
            kill(victim, directory);
            lookFor(directory);
        }
        Directories.delete(root);
        Sheet sheet = report.sheet();
        return new Findings(sheet.json(), sheet.table(), List.of(), report.failures(), Map.of());
    }

    private void kill(int victim, Path directory) throws IOException, InterruptedException {
        ChildProcess process = ChildProcess.talking(ChildProcess.java(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                Victim.class.getName(),
                List.of(Integer.toString(victim), directory.toString())));
        victims.addFirst(victim);
        boolean whileOpening = random.nextInt(4) == 0;
        process.awaitSign(Victim.OPENING);
        if (whileOpening) {
            TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_OPENING));
        } else {
            process.awaitSign(Victim.OPEN);
            TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_LIFE));
        }
        int exit = process.kill();
        if (exit != KILLED_BY_SIGNAL) {
            throw new IllegalStateException("victim " + victim + " was not killed but ended with " + exit);
        }
        boolean opened = acknowledged(directory, victim) > 0;
        report.killed(opened, opened && wasClearing(directory));
    }

    private static boolean wasClearing(Path directory) throws IOException {
        boolean clearing = false;
        for (Scope scope : Scope.values()) {
            for (Path file : scope.files(directory)) {
                clearing |= WatchedFilter.wasClearing(file);
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
        Directories.delete(copy);
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
}
