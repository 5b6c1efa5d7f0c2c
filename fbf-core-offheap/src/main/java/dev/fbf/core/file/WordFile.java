package dev.fbf.core.file;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * File of words. Invalid files are refused with an exception that names the file, the reason and a remedy.
 *
 * <p>The first word is a magic number for the kind of file, the second one the version of its format.
 *
 * @param kind the name of the kind, as in "The filter's file"
 * @param path the file's path
 * @param magic the first word
 * @param newest the newest supported version; the oldest is 1
 * @param headerWords the minimum number of words
 * @param restore the remedy for a file that was changed or damaged
 * @param forLess the remedy for a full disk, after "Free some space, choose another directory, or"
 */
public record WordFile(
        String kind, Path path, long magic, long newest, int headerWords, String restore, String forLess) {

    /**
     * Maps an existing, intact file, and leaves it unchanged.
     *
     * @param bytes computes the expected length from a header of a supported version; null if the header is corrupt
     * @return its words
     * @throws StorageException if the file is damaged, foreign or of a newer format, is a symbolic link, or cannot be read and written
     */
    public Words open(Function<Words, @Nullable Long> bytes) {
        PrivateFiles.requireNoLink(path);
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw refused("it is not a regular file");
        }
        try {
            long actual = Files.size(path);
            if (actual < (long) headerWords * Long.BYTES) {
                throw refused("it is truncated: " + actual + " bytes are less than a header");
            }
            Words words = MappedWords.map(path);
            if (words.getVolatile(0) != magic) {
                throw refused("it was not written by fbf on a machine of this byte order");
            }
            long version = words.getVolatile(1);
            if (version > newest) {
                throw new StorageException(
                        kind + " " + path + " has format " + version + "; this version of fbf supports up to " + newest
                                + ".",
                        "Run the newer version of fbf that wrote it.",
                        null);
            }
            Long expected = version < 1 ? null : bytes.apply(words);
            if (expected == null) {
                throw refused("its header is corrupt");
            }
            if (actual != expected) {
                String why = actual < expected ? "it is truncated" : "it has extra bytes after its end";
                throw refused(why + ": " + actual + " of " + expected + " bytes");
            }
            return words;
        } catch (IOException e) {
            throw new StorageException(
                    kind + " " + path + " cannot be used: " + e + ".",
                    "Check that this user may read and write it and that the disk works.",
                    e);
        }
    }

    /**
     * Creates the file, as {@link NewFile#create} does, and maps it.
     *
     * @param bytes its length
     * @param initialize writes the initial values of the words, which are zero before
     * @return its words
     * @throws StorageException if the file cannot be created
     */
    public Words create(long bytes, Consumer<Words> initialize) {
        try {
            return NewFile.create(path, bytes, initialize);
        } catch (NewFile.NoSpaceException e) {
            throw new StorageException(
                    String.format(
                            Locale.ROOT,
                            "%s %s needs %,d bytes, and the disk has %,d to spare.",
                            kind,
                            path,
                            bytes,
                            e.usable),
                    "Free some space, choose another directory, or " + forLess + ".",
                    StorageException.Setting.DIRECTORY,
                    e);
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(
                    kind + " " + path + " cannot be created: " + e + ".",
                    "Check that this user may write a file of " + bytes + " bytes there and that the disk works.",
                    e);
        }
    }

    /**
     * Creates the exception that refuses the file.
     *
     * @param why the reason, a clause about "it"
     * @return the exception, to be thrown
     */
    public StorageException refused(String why) {
        return new StorageException(kind + " " + path + " is refused: " + why + ".", restore, null);
    }
}
