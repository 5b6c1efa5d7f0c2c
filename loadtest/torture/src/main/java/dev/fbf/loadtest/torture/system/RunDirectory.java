package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory of a run: its server's data and its applications' files and logs. */
public final class RunDirectory {

    private RunDirectory() {}

    /** The server's part of a run's directory. */
    public static Path postgres(Path directory) {
        return directory.resolve("postgres");
    }

    /** Empties it, but not before the server that an earlier run may have left in it is gone. */
    public static void empty(Path directory) throws IOException {
        PostgresServer.stopAnyIn(postgres(directory));
        Disk.unmountAnyIn(directory);
        if (Files.exists(directory)) {
            try (Stream<Path> paths = Files.walk(directory)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(directory);
    }
}
