package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class MappedFilterTest extends ForgetfulBloomFilterContract {

    @TempDir
    private Path directory;

    @Override
    Words words(long size) throws IOException {
        Path file = directory.resolve("filter");
        try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
            created.setLength(size * Long.BYTES);
        }
        return MappedWords.map(file);
    }

    @Override
    Rule rule() {
        return Rule.SINGLE;
    }
}
