package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Leaves a directory's files as {@code kill -9} does, without an end of this process. */
public final class KilledProcess {

    private KilledProcess() {}

    /**
     * Copies the files as they are now, without the lock, which this process still has. A file that another thread
     * renames or deletes meanwhile is left out: no operation is in it yet, or none that is still needed.
     */
    public static void leave(Path directory, Path copy) throws IOException {
        Files.createDirectories(copy);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (!file.endsWith("fbf.lock")) {
                    copyUnlessGone(file, copy.resolve(file.getFileName()));
                }
            }
        }
    }

    private static void copyUnlessGone(Path file, Path copy) throws IOException {
        try {
            Files.copy(file, copy);
        } catch (NoSuchFileException e) {
            Files.deleteIfExists(copy);
        }
    }
}
