package dev.fbf.core.memory;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A file of words: opens one that is what it should be and refuses each other one, or makes one. Refusals name the file, say why, and
 * say what to do.
 *
 * <p>The first word is a magic number that tells its kind, the second one the version of its format.
 *
 * @param kind what it is called, as in "The filter's file"
 * @param path where it is
 * @param magic the first word
 * @param newest the newest version that is known, of those from 1 on
 * @param headerWords how many words it has at least
 * @param restore what to do if it is not what was written
 * @param forLess what to do if the disk has no room for it, after "Free some space, choose another directory, or"
 */
public record WordFile(
        String kind, Path path, long magic, long newest, int headerWords, String restore, String forLess) {

    /**
     * Maps a file that exists and is sound, and changes nothing in it.
     *
     * @param bytes how long it should be, by a header of a known version; null if the header is corrupt
     * @return its words
     * @throws StorageException if it is not what was written, or cannot be read and written
     */
    public Words open(Function<Words, @Nullable Long> bytes) {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw refused("it is not a regular file");
        }
        try {
            long actual = Files.size(path);
            if (actual < (long) headerWords * Long.BYTES) {
                throw refused("it is truncated: " + actual + " bytes are less than a header");
            }
            Words words = MappedWords.map(path);
            requireKnown(words);
            Long expected = words.getVolatile(1) < 1 ? null : bytes.apply(words);
            if (expected == null) {
                throw refused("its header is corrupt");
            }
            if (actual != expected) {
                String why = actual < expected ? "it is truncated" : "it has something behind its end";
                throw refused(why + ": " + actual + " of " + expected + " bytes");
            }
            return words;
        } catch (IOException e) {
            throw new StorageException(
                    kind + " " + path + " cannot be used: " + e + ".",
                    "Check that this user may read and write it and that the disk is sound.",
                    e);
        }
    }

    /**
     * Makes the file, as {@link NewFile#create} does, and maps it.
     *
     * @param bytes its length
     * @param initialize writes what the words, all zero, shall hold from the start
     * @return its words
     * @throws StorageException if it cannot be made
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
                            e.usable()),
                    "Free some space, choose another directory, or " + forLess + ".",
                    e);
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(
                    kind + " " + path + " cannot be made: " + e + ".",
                    "Check that this user may write a file of " + bytes + " bytes there and that the disk is sound.",
                    e);
        }
    }

    /**
     * Refuses the file.
     *
     * @param why a part of a sentence about it
     * @return what to throw
     */
    public StorageException refused(String why) {
        return new StorageException(kind + " " + path + " is refused: " + why + ".", restore, null);
    }

    private void requireKnown(Words words) {
        if (words.getVolatile(0) != magic) {
            throw refused("it was not written by fbf on a machine of this byte order");
        }
        long version = words.getVolatile(1);
        if (version > newest) {
            throw new StorageException(
                    kind + " " + path + " has format " + version + "; this version of fbf knows up to " + newest + ".",
                    "Run the newer version of fbf that wrote it.",
                    null);
        }
    }
}
