package dev.fbf.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a run reads and writes.
 *
 * @param directory everything it writes is below
 * @param app the sample app's executable jar
 */
public record RunFiles(Path directory, Path app) {

    /** Takes them from {@code loadtest.directory} and {@code loadtest.app}. */
    public static RunFiles ofSystemProperties() throws IOException {
        return new RunFiles(
                Files.createDirectories(Path.of(System.getProperty("loadtest.directory", "target"))),
                Path.of(System.getProperty("loadtest.app", "")));
    }

    /** Where Gatling's own reports go. */
    public Path gatling() {
        return directory.resolve("gatling");
    }

    /** Where a result goes. */
    public Path result(String name) {
        return directory.resolve("results").resolve(name);
    }
}
