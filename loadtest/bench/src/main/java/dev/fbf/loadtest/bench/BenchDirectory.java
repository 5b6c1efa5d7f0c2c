package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.harness.process.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A temporary directory. */
public record BenchDirectory(Path path) implements AutoCloseable {

    /**
     * Makes a new one.
     *
     * @return an empty directory, deleted with all that is in it when it is closed
     * @throws IOException if there is no room for one
     */
    public static BenchDirectory create() throws IOException {
        return new BenchDirectory(Files.createTempDirectory("fbf-bench-"));
    }

    /** The only file of a filter that was just made. */
    Path file(String scope) {
        return path.resolve(scope + "~1.fbf");
    }

    @Override
    public void close() throws IOException {
        Directories.delete(path);
    }
}
