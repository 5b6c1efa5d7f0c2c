package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.NewFile;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The file of an {@link Arena}: makes it, and refuses one that is not what it should be. */
final class ArenaFile {

    private ArenaFile() {}

    /** Maps a file that exists and is sound, and changes nothing in it. */
    static Words open(Path file) {
        if (Files.isDirectory(file)) {
            throw refused(file, "it is a directory");
        }
        try {
            long bytes = Files.size(file);
            if (bytes < FilterLayout.HEADER_WORDS * Long.BYTES) {
                throw refused(file, "it is truncated: " + bytes + " bytes are less than a header");
            }
            Words words = MappedWords.map(file);
            requireSound(file, new ArenaHeader(words), bytes);
            return words;
        } catch (IOException e) {
            throw new StorageException(
                    "The filter's file " + file + " cannot be used: " + e + ".",
                    "Check that this user may read and write it and that the disk is sound.",
                    e);
        }
    }

    /** Makes a file and maps it. */
    static Words create(Path file, FilterPlan plan, FilterClock clock, long boot, long bootedAt, long log) {
        try {
            return NewFile.create(file, plan.bytes(), words -> {
                Arena.initialize(plan, words, clock);
                new ArenaHeader(words).open(boot, bootedAt, log);
            });
        } catch (NewFile.NoSpaceException e) {
            throw noSpace(file, plan, e);
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(
                    "The filter's file " + file + " cannot be made: " + e + ".",
                    "Check that this user may write a file of " + plan.bytes() + " bytes there and that the disk is"
                            + " sound.",
                    e);
        }
    }

    private static void requireSound(Path file, ArenaHeader header, long bytes) {
        if (!header.isOfFbf()) {
            throw refused(file, "it was not written by fbf on a machine of this byte order");
        }
        if (header.version() > FilterLayout.VERSION_WITH_REQUESTS) {
            throw new StorageException(
                    "The filter's file " + file + " has format " + header.version()
                            + "; this version of fbf knows up to " + FilterLayout.VERSION_WITH_REQUESTS + ".",
                    "Run the newer version of fbf that wrote it.",
                    null);
        }
        if (!header.isOfKnownVersion() || !header.isSound()) {
            throw refused(file, "its header is corrupt");
        }
        long planned = header.plan().bytes();
        if (bytes != planned) {
            throw refused(
                    file,
                    "it " + (bytes < planned ? "is truncated" : "has something behind its end") + ": " + bytes + " of "
                            + planned + " bytes");
        }
    }

    private static StorageException refused(Path file, String why) {
        return new StorageException(
                "The filter's file " + file + " is refused: " + why + ".",
                "Restore it from where it was changed; or, if its operations can no longer be retried, move it away and"
                        + " start again with an empty filter.",
                null);
    }

    private static StorageException noSpace(Path file, FilterPlan plan, NewFile.NoSpaceException cause) {
        return new StorageException(
                String.format(
                        Locale.ROOT,
                        "The filter's file %s needs %,d bytes, and the disk has %,d to spare.",
                        file,
                        plan.bytes(),
                        cause.usable()),
                "Free some space, choose another directory, or ask for less: fewer expected operations per second, a"
                        + " shorter retry window, or a higher false positive probability.",
                cause);
    }
}
