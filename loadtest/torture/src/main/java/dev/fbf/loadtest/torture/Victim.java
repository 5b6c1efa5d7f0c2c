package dev.fbf.loadtest.torture;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;

/** Puts operations from two threads and acknowledges each after its put, until it is killed. */
final class Victim {

    static final int THREADS = 2;

    /** What a victim writes before it opens its filters, and after. */
    static final int OPENING = 'o';

    static final int OPEN = 'O';

    private static final long NANOS_BETWEEN_PUTS = 4_000;

    private Victim() {}

    public static void main(String[] args) throws IOException {
        int victim = Integer.parseInt(args[0]);
        Path path = Path.of(args[1]);
        Acknowledgements[] acknowledgements = new Acknowledgements[THREADS];
        for (int thread = 0; thread < THREADS; thread++) {
            acknowledgements[thread] = new Acknowledgements(log(path, victim, thread));
        }
        Scope[] scopes = Scope.values(); // planned before, so that what follows is the opening alone
        System.out.write(OPENING);
        System.out.flush();
        @SuppressWarnings("resource") // it never gets to close
        FilterDirectory directory = FilterDirectory.open(path);
        Map<Scope, ForgetfulBloomFilter> filters = new EnumMap<>(Scope.class);
        for (Scope scope : scopes) {
            filters.put(scope, directory.filter(scope.toString(), scope.plan()));
        }
        System.out.write(OPEN);
        System.out.flush();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            Thread putter =
                    new Thread(() -> putAll(filters, victim, number, acknowledgements[number]), "put-" + number);
            putter.setDaemon(true);
            putter.start();
        }
        while (System.in.read() >= 0) {
            // ends with the process that started this one
        }
        Runtime.getRuntime().halt(2);
    }

    static Path log(Path directory, int victim, int thread) {
        return directory.resolveSibling("acknowledged-" + victim + "-" + thread);
    }

    private static void putAll(
            Map<Scope, ForgetfulBloomFilter> filters, int victim, int thread, Acknowledgements acknowledgements) {
        long next = System.nanoTime();
        for (int index = 0; index < Acknowledgements.CAPACITY; index++) {
            long before = System.currentTimeMillis();
            requireNonNull(filters.get(Scope.of(index))).put(Scope.operation(victim, thread, index));
            acknowledgements.acknowledge(index, before);
            next += NANOS_BETWEEN_PUTS;
            while (System.nanoTime() - next < 0) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * What one thread of a victim acknowledged: of each operation the time before its put, and how many puts have returned.
     * In a mapped file, so that it outlives the victim and costs next to nothing.
     */
    static final class Acknowledgements {

        /** For a second of puts, one every four microseconds. */
        static final int CAPACITY = 1 << 18;

        private static final VarHandle LONGS =
                MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
        private static final int COUNT = 0;

        private final MappedByteBuffer buffer;

        Acknowledgements(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
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
