package dev.fbf.core.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Parts of one mapped file, each all zero when it is given out, and given out again when the file has come to its end: for tests
 * that need a million small {@link MappedWords}, of which far fewer are in use at a time. Thread-safe.
 */
public final class MappedRing {

    private static final long LINE = 8;
    private static final long WORDS = 1L << 25;

    private static final MappedWords FILE = map();

    private static final AtomicLong next = new AtomicLong();

    private MappedRing() {}

    /**
     * Gives out a part of the file.
     *
     * @param size how many words
     * @return words that are all zero and begin with a cache line
     */
    public static Words next(long size) {
        long lines = (size + LINE - 1) / LINE * LINE;
        long first = next.updateAndGet(end -> end + lines > WORDS ? lines : end + lines) - lines;
        for (long word = first; word < first + size; word++) {
            FILE.setRelease(word, 0);
        }
        return new Part(first, size);
    }

    private static MappedWords map() {
        try {
            Path file = Files.createTempFile("fbf-ring", ".words");
            file.toFile().deleteOnExit();
            try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
                made.setLength(WORDS * Long.BYTES);
            }
            return MappedWords.map(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Part(long first, long size) implements Words {

        @Override
        public long getVolatile(long index) {
            return FILE.getVolatile(first + index);
        }

        @Override
        public void setRelease(long index, long value) {
            FILE.setRelease(first + index, value);
        }

        @Override
        public boolean compareAndSet(long index, long expected, long value) {
            return FILE.compareAndSet(first + index, expected, value);
        }

        @Override
        public long position(long index) {
            return FILE.position(first + index);
        }

        @Override
        public long getPlainAt(long position) {
            return FILE.getPlainAt(position);
        }

        @Override
        public long getPlainAt(long line, long word) {
            return FILE.getPlainAt(line, word);
        }

        @Override
        public boolean compareAndSetAt(long position, long expected, long value) {
            return FILE.compareAndSetAt(position, expected, value);
        }

        @Override
        public void force() {
            // nothing of it is kept
        }

        @Override
        public void force(long first, int count) {
            // nothing of it is kept
        }
    }
}
