package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The physical limit: as many cache lines of an equally large mapped file as a filter looks at, with no filter around
 * them. The operation's own bits, which are random, are the lines' numbers.
 */
final class MappedLines implements OperationFilter {

    private static final int LINE_WORDS = 8;

    private final Path file;
    private final Words words;
    private final long lines;
    private final int probeLines;

    MappedLines(long bytes, int probeLines) throws IOException {
        this.probeLines = probeLines;
        file = Files.createTempFile("fbf-bench-", ".lines");
        try (InputStream bits = new RandomBits(new SplittableRandom(1), bytes);
                OutputStream out = Files.newOutputStream(file)) {
            bits.transferTo(out);
        }
        words = MappedWords.map(file);
        lines = words.size() / LINE_WORDS;
    }

    @Override
    public boolean mightContain(OperationId id) {
        long found = -1;
        for (int line = 0; line < probeLines; line++) {
            long number = Long.rotateLeft(id.high(), 21 * line) ^ id.low();
            long index = Math.multiplyHigh(number >>> 1, 2 * lines) * LINE_WORDS;
            found &= words.getPlainAt(words.position(index));
        }
        return found == -1;
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
