package dev.fbf.loadtest.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A temporary directory.
 *
 * @param path where it is
 */
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
        try (Stream<Path> paths = Files.walk(path)) {
            paths.sorted(Comparator.reverseOrder()).forEach(BenchDirectory::delete);
        }
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
