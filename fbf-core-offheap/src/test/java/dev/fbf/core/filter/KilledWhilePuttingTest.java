package dev.fbf.core.filter;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} in the middle of puts and refreshes, again and again on the same directory. {@code -Dfbf.kills=200} decides how often. From
 * JDK 22 on, each second process accesses its memory by Chronicle, the others by java.lang.foreign.
 *
 * <p>The files are copied after the kill, at which no put can come any more, and the copy is opened. An operation must be found if its
 * window has not passed, judged by the time before its put and the time after the check: both err on the side of too old.
 */
@Tag("nightly")
class KilledWhilePuttingTest {

    private static final int KILLS = Integer.getInteger("fbf.kills", 20);
    private static final int KILLED_BY_SIGNAL = 128 + 9;

    /** After so many kills the directory is new, so that some processes are killed while they create their files. */
    private static final int KILLS_OF_A_DIRECTORY = 10;

    private static final int MICROS_OF_OPENING = 200_000;
    private static final int MICROS_OF_LIFE = 500_000;
    private static final int ABSENT = 1_000;

    /** Filters keep their own time, which may be a moment off. */
    private static final long TOLERANCE_MILLIS = 5;

    @TempDir
    private Path root;

    private final Random random = new Random(1);
    private final Deque<Integer> victims = new ArrayDeque<>();
    private final Map<Scope, Integer> within = new EnumMap<>(Scope.class);
    private final Map<Scope, Integer> lost = new EnumMap<>(Scope.class);
    private int falsePositives;

    private enum Scope {
        /** Short, but long enough for a busy machine to open it within its window. */
        SHORT(new FilterSizing(200_000, Duration.ofMillis(1_500), 1e-6).plan(Rule.PAPER, 2)),
        /** Refreshed ten times per second, with some milliseconds of clearing each time. */
        LONG(new FilterSizing(500_000, Duration.ofSeconds(3), 1e-6).plan(Rule.SINGLE, 29)),
        /** Planned for a part of the load, so that it grows from arena to arena. */
        GROWING(new FilterSizing(30_000, Duration.ofSeconds(3), 1e-6).plan());

        @SuppressWarnings("ImmutableEnumChecker") // a record of values
        private final FilterPlan plan;

        Scope(FilterPlan plan) {
            this.plan = plan;
        }

        /** One operation in eight goes to each of the small filters. */
        static Scope of(int index) {
            return index % 8 == 0 ? SHORT : index % 8 == 1 ? GROWING : LONG;
        }

        ForgetfulBloomFilter in(FilterStore directory) {
            return directory.filter(name().toLowerCase(Locale.ROOT), plan);
        }
    }

    @Test
    void losesNoAcknowledgedPutWithinItsWindow() throws Exception {
        Path directory = root;
        for (int victim = 0; victim < KILLS; victim++) {
            if (victim % KILLS_OF_A_DIRECTORY == 0) {
                directory = Files.createDirectories(root.resolve("victims-" + victim))
                        .resolve("filters");
                victims.clear();
            }
            kill(victim, directory);
            checkCopy(directory, root.resolve("copy-" + victim));
        }

        assertThat(lost).isEmpty();
        assertThat(within).as("operations that could be lost").containsOnlyKeys(Scope.values());
        assertThat(falsePositives).as("filters do not just say yes").isLessThan(KILLS * ABSENT / 100);
    }

    private void kill(int victim, Path directory) throws IOException, InterruptedException {
        List<String> jvm = List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Ddev.fbf.memory=" + (victim % 2 == 0 ? "foreign" : "chronicle"));
        Process process = ChildJvm.start(jvm, Victim.class, victim, directory);
        victims.addFirst(victim);
        try (InputStream signs = process.getInputStream()) {
            assertThat(signs.read()).isEqualTo(Victim.OPENING);
            if (random.nextInt(4) == 0) {
                TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_OPENING));
            } else {
                assertThat(signs.read()).isEqualTo(Victim.OPEN);
                TimeUnit.MICROSECONDS.sleep(random.nextInt(MICROS_OF_LIFE));
            }
            assertThat(process.destroyForcibly().waitFor()).isEqualTo(KILLED_BY_SIGNAL);
        }
    }

    private void checkCopy(Path directory, Path copy) throws IOException {
        if (Files.notExists(directory)) {
            return; // it was killed before that
        }
        KilledProcess.leave(directory, copy);
        try (FilterStore left = FilterStore.open(copy)) {
            for (Scope scope : Scope.values()) {
                check(scope, scope.in(left), directory);
            }
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(copy)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    /** Operations of earlier victims must be found as well, until their window has passed: later victims have refreshed their generations. */
    private void check(Scope scope, ForgetfulBloomFilter filter, Path directory) throws IOException {
        long window = scope.plan.window().toMillis() - TOLERANCE_MILLIS;
        for (int victim : victims) {
            for (int thread = 0; thread < Victim.THREADS; thread++) {
                LongBuffer acknowledged = Victim.acknowledged(directory, victim, thread);
                for (int index = acknowledged.limit() - 1; index >= 0; index--) {
                    if (Scope.of(index) != scope) {
                        continue;
                    }
                    boolean found = filter.mightContain(Victim.operation(victim, thread, index));
                    if (System.currentTimeMillis() - acknowledged.get(index) >= window) {
                        break; // all others are older
                    }
                    within.merge(scope, 1, Integer::sum);
                    if (!found) {
                        lost.merge(scope, 1, Integer::sum);
                    }
                }
            }
        }
        for (int i = 0; i < ABSENT / Scope.values().length; i++) {
            falsePositives += filter.mightContain(new OperationId(-1, random.nextLong())) ? 1 : 0;
        }
    }

    /** Puts operations from two threads until it is killed, and writes the time before each put to a file once the put has returned. */
    static final class Victim {

        static final int THREADS = 2;
        static final int OPENING = 'o';
        static final int OPEN = 'O';

        private Victim() {}

        static OperationId operation(int victim, int thread, int index) {
            return new OperationId((long) victim << 1 | thread, index);
        }

        private static Path file(Path directory, int victim, int thread) {
            return directory.resolveSibling("acknowledged-" + victim + "-" + thread);
        }

        /** The times before the puts of a thread that have returned. */
        static LongBuffer acknowledged(Path directory, int victim, int thread) throws IOException {
            Path file = file(directory, victim, thread);
            return ByteBuffer.wrap(Files.exists(file) ? Files.readAllBytes(file) : new byte[0])
                    .asLongBuffer();
        }

        public static void main(String[] args) throws IOException {
            int victim = Integer.parseInt(args[0]);
            Path path = Path.of(args[1]);
            Scope[] scopes = Scope.values(); // planned before, so that only the opening follows
            say(OPENING);
            @SuppressWarnings("resource") // it never gets to close
            FilterStore directory = FilterStore.open(path);
            Map<Scope, ForgetfulBloomFilter> filters = new EnumMap<>(Scope.class);
            for (Scope scope : scopes) {
                filters.put(scope, scope.in(directory));
            }
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                FileChannel acknowledged = FileChannel.open(
                        file(path, victim, thread), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Thread putter = new Thread(() -> putAll(filters, victim, number, acknowledged));
                putter.setDaemon(true);
                putter.start();
            }
            say(OPEN);
            while (System.in.read() >= 0) {
                // ends with the process that started this one
            }
            Runtime.getRuntime().halt(2);
        }

        private static void say(int sign) {
            System.out.write(sign);
            System.out.flush();
        }

        private static void putAll(
                Map<Scope, ForgetfulBloomFilter> filters, int victim, int thread, FileChannel acknowledged) {
            ByteBuffer time = ByteBuffer.allocateDirect(Long.BYTES);
            try {
                for (int index = 0; ; index++) {
                    time.clear().putLong(System.currentTimeMillis()).flip();
                    requireNonNull(filters.get(Scope.of(index))).put(operation(victim, thread, index));
                    acknowledged.write(time);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
