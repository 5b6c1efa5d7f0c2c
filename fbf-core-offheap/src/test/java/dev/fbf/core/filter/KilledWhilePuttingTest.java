package dev.fbf.core.filter;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
 * {@code kill -9} in the middle of puts and refreshes, again and again on the same directory. {@code -Dfbf.kills=200} decides how often.
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
    private int opened;
    private int clearing;
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

        List<Path> files(Path directory) throws IOException {
            List<Path> all = new ArrayList<>();
            if (Files.exists(directory)) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, this + "~*.fbf")) {
                    files.forEach(all::add);
                }
            }
            return all;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
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
            check(victim, directory);
        }

        System.out.printf(
                "%d kills, %d after the filters were open, %d while a generation was cleared; acknowledged %s%n",
                KILLS, opened, clearing, within);
        assertThat(lost).isEmpty();
        assertThat(within).as("operations that could be lost").containsOnlyKeys(Scope.values());
        assertThat(falsePositives).as("filters do not just say yes").isLessThan(KILLS * ABSENT / 100);
    }

    private void kill(int victim, Path directory) throws IOException, InterruptedException {
        Process process =
                ChildJvm.start(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), Victim.class, victim, directory);
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
        if (new Acknowledgements(directory, victim, 0).count() > 0) {
            opened++;
            clearing += isClearing(directory) ? 1 : 0;
        }
    }

    private static boolean isClearing(Path directory) throws IOException {
        for (Scope scope : Scope.values()) {
            for (Path file : scope.files(directory)) {
                if ((MappedWords.map(file).getVolatile(FilterLayout.STATE_WORD) & 1) == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private void check(int victim, Path directory) throws IOException {
        Path copy = Files.createDirectories(root.resolve("copy-" + victim));
        try (FilterDirectory open = FilterDirectory.open(copy)) {
            for (Scope scope : Scope.values()) {
                for (Path file : scope.files(directory)) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
                if (!scope.files(copy).isEmpty()) {
                    check(scope, open.filter(scope.toString(), scope.plan), directory);
                }
            }
        }
        for (Scope scope : Scope.values()) {
            for (Path file : scope.files(copy)) {
                Files.delete(file);
            }
        }
    }

    /** Operations of earlier victims must be found as well, until their window has passed: later victims have refreshed their generations. */
    private void check(Scope scope, ForgetfulBloomFilter filter, Path directory) throws IOException {
        long window = scope.plan.window().toMillis() - TOLERANCE_MILLIS;
        boolean anyWithin = true;
        for (int victim : victims) {
            if (!anyWithin) {
                break; // all others are older
            }
            anyWithin = false;
            for (int thread = 0; thread < Victim.THREADS; thread++) {
                Acknowledgements acknowledgements = new Acknowledgements(directory, victim, thread);
                for (int index = acknowledgements.count() - 1; index >= 0; index--) {
                    if (Scope.of(index) != scope) {
                        continue;
                    }
                    boolean found = filter.mightContain(Victim.operation(victim, thread, index));
                    if (System.currentTimeMillis() - acknowledgements.millisBeforePut(index) >= window) {
                        break;
                    }
                    anyWithin = true;
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

    /** Puts operations from two threads and acknowledges each after its put, until it is killed. */
    static final class Victim {

        static final int THREADS = 2;
        static final int OPENING = 'o';
        static final int OPEN = 'O';
        private static final long NANOS_BETWEEN_PUTS = 4_000;

        private Victim() {}

        static OperationId operation(int victim, int thread, int index) {
            return new OperationId((long) victim << 1 | thread, index);
        }

        public static void main(String[] args) throws IOException {
            int victim = Integer.parseInt(args[0]);
            Path path = Path.of(args[1]);
            Scope[] scopes = Scope.values(); // planned before, so that only the opening follows
            say(OPENING);
            @SuppressWarnings("resource") // it never gets to close
            FilterDirectory directory = FilterDirectory.open(path);
            Map<Scope, ForgetfulBloomFilter> filters = new EnumMap<>(Scope.class);
            for (Scope scope : scopes) {
                filters.put(scope, directory.filter(scope.toString(), scope.plan));
            }
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                Acknowledgements acknowledgements = new Acknowledgements(path, victim, thread);
                Thread putter = new Thread(() -> putAll(filters, victim, number, acknowledgements));
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
                Map<Scope, ForgetfulBloomFilter> filters, int victim, int thread, Acknowledgements acknowledgements) {
            long next = System.nanoTime();
            for (int index = 0; index < Acknowledgements.CAPACITY; index++) {
                long before = System.currentTimeMillis();
                requireNonNull(filters.get(Scope.of(index))).put(operation(victim, thread, index));
                acknowledgements.acknowledge(index, before);
                next += NANOS_BETWEEN_PUTS;
                while (System.nanoTime() - next < 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** The time before each put of a thread, and the number of puts that have returned: in a mapped file, which outlives the process. */
    private static final class Acknowledgements {

        /** For a second of puts, one every four microseconds. */
        static final int CAPACITY = 1 << 18;

        private static final VarHandle LONGS =
                MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
        private static final int COUNT = 0;

        private final MappedByteBuffer buffer;

        Acknowledgements(Path directory, int victim, int thread) throws IOException {
            try (FileChannel channel = FileChannel.open(
                    directory.resolveSibling("acknowledged-" + victim + "-" + thread),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                buffer = channel.map(MapMode.READ_WRITE, 0, (1L + CAPACITY) * Long.BYTES);
                buffer.order(ByteOrder.nativeOrder());
            }
        }

        int count() {
            return (int) (long) LONGS.getAcquire(buffer, COUNT);
        }

        long millisBeforePut(int index) {
            return buffer.getLong((1 + index) * Long.BYTES);
        }

        void acknowledge(int index, long millisBeforePut) {
            buffer.putLong((1 + index) * Long.BYTES, millisBeforePut);
            LONGS.setRelease(buffer, COUNT, index + 1L);
        }
    }
}
