package dev.fbf.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories that a run fills and empties. */
public final class Directories {

    private Directories() {}

    /** Copies a directory, with all that is in it, to one that does not exist. */
    public static void copy(Path directory, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(directory.relativize(path).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Deletes a directory, if there is one, with all that is in it. */
    public static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> paths = Files.walk(directory)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
