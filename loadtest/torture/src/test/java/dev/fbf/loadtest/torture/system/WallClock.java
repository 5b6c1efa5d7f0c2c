package dev.fbf.loadtest.torture.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The wall clock of processes, which is set while they run: a preloaded library shifts it, and leaves their monotonic clock alone. */
final class WallClock {

    private static final Path COMPILER = Path.of("/usr/bin/cc");

    private final Path library;
    private final Path file;

    private WallClock(Path library, Path file) {
        this.library = library;
        this.file = file;
    }

    /**
     * One that is right. Where there is no compiler for the library, the test is skipped.
     *
     * @param file has the shift; the library is beside it
     */
    static WallClock in(Path file) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(COMPILER), "there is no C compiler (Debian: apt-get install gcc libc6-dev)");
        Path library = file.resolveSibling("wall-clock.so").toAbsolutePath();
        if (!Files.exists(library)) {
            Path source = file.resolveSibling("wall-clock.c");
            try (InputStream stored = WallClock.class.getResourceAsStream("/wall-clock.c")) {
                Files.copy(Objects.requireNonNull(stored), source);
            }
            ChildProcess.output(
                    COMPILER.toString(),
                    "-O2",
                    "-shared",
                    "-fPIC",
                    "-o",
                    library.toString(),
                    source.toString(),
                    "-ldl");
        }
        WallClock clock = new WallClock(library, file.toAbsolutePath());
        clock.set(Duration.ZERO);
        return clock;
    }

    /** The program that starts one with this clock. */
    List<String> launcher() {
        return List.of("/usr/bin/env", "LD_PRELOAD=" + library, "WALL_CLOCK=" + file);
    }

    /** Sets it, so far ahead of the machine's. */
    void set(Duration ahead) throws IOException {
        ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        nanos.putLong(ahead.toNanos()).flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(nanos, 0);
        }
    }
}
