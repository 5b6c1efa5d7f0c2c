package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
        Directories.delete(directory);
        Files.createDirectories(directory);
    }
}
