package dev.fbf.core.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Words of one mapped file, in turn for one state after the other: far more than are in use at a time. */
final class MappedState {

    /** So many words are a cache line. */
    static final long LINE = 8;

    private static final long STATES = 1 << 18;
    private static final long WORDS_OF_STATE = 2 * LINE;

    static final Words WORDS = map();

    private static final AtomicLong last = new AtomicLong();

    private MappedState() {}

    /** The first word of a state; it and the first of its second line are zero. */
    static long next() {
        long first = last.getAndIncrement() % STATES * WORDS_OF_STATE;
        WORDS.setRelease(first, 0);
        WORDS.setRelease(first + LINE, 0);
        return first;
    }

    private static Words map() {
        try {
            Path file = Files.createTempFile("fbf-jcstress", ".words");
            file.toFile().deleteOnExit();
            try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
                made.setLength(STATES * WORDS_OF_STATE * Long.BYTES);
            }
            return MappedWords.map(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
