package dev.fbf.core.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** Suffix of a file that is being created. */
    public static final String UNFINISHED = ".new";

    private static final Logger log = LoggerFactory.getLogger(WordFile.class);

    private static final int PAGE_BYTES = 4096;

    /** The disk to which words and file names are forced; replaced in tests. */
    static class Disk {

        void force(Words words) {
            words.force();
        }

        /** Forces the directory, if the operating system allows that: otherwise a power loss may revert the new name. */
        void forceName(Path file) throws IOException {
            if (PrivateFiles.isUnix(file)) {
                try (FileChannel directory =
                        FileChannel.open(file.toAbsolutePath().getParent(), READ)) {
                    directory.force(true);
                }
            }
        }
    }

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
                        "Run the newer version of fbf that wrote it.");
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
     * Creates the file and maps it. Writes every byte, so that a full disk is detected now and not as a fault of a later store. The file
     * gets its name once it is complete and on the disk, so that a crash leaves no partial file. A failed creation leaves no file; a failed
     * replacement leaves the old file or the complete new one.
     *
     * @param bytes its length, a multiple of 8
     * @param initialize writes the initial values of the words, which are zero before
     * @return its words
     * @throws StorageException if the file cannot be created, for example because the disk is full
     */
    public Words create(long bytes, Consumer<Words> initialize) {
        return create(bytes, initialize, new Disk());
    }

    Words create(long bytes, Consumer<Words> initialize, Disk disk) {
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        boolean isNew = Files.notExists(path, NOFOLLOW_LINKS);
        boolean made = false;
        try {
            deleteUnfinished(unfinished); // left by a crash, and occupies space
            requireSpace(bytes);
            fillWithZeros(unfinished, bytes);
            Words words = MappedWords.map(unfinished, path);
            initialize.accept(words);
            disk.force(words);
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            disk.forceName(path);
            made = true;
            return words;
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(
                    kind + " " + path + " cannot be created: " + e + ".",
                    "Check that this user may write a file of " + bytes + " bytes there and that the disk works.",
                    e);
        } finally {
            if (!made) {
                discard(unfinished);
                if (isNew) {
                    discard(path); // a replacement is complete, and the only copy left
                }
            }
        }
    }

    private void requireSpace(long bytes) throws IOException {
        long usable = Files.getFileStore(path.toAbsolutePath().getParent()).getUsableSpace();
        if (usable < bytes) {
            throw new StorageException(
                    String.format(
                            Locale.ROOT,
                            "%s %s needs %,d bytes, and the disk has %,d to spare.",
                            kind,
                            path,
                            bytes,
                            usable),
                    "Free some space, choose another directory (property fbf.directory), or " + forLess + ".");
        }
    }

    private static void discard(Path file) {
        try {
            deleteUnfinished(file);
        } catch (IOException e) {
            log.debug("The file {} cannot be deleted.", file, e);
        }
    }

    /**
     * Deletes the unfinished file of a crashed or failed creation. Anything but a regular file stays.
     *
     * @throws IOException if it cannot be deleted
     */
    public static void deleteUnfinished(Path file) throws IOException {
        if (Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            Files.delete(file);
        }
    }

    /**
     * Writes one page at a time. Newer kernels cache the pages of one write as one large folio, and write the whole folio to the disk when
     * one bit of it has changed: with writes of 1 MiB, 85 pages per bit (Linux 6.18, ext4).
     */
    private static void fillWithZeros(Path file, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(PAGE_BYTES);
        try (FileChannel channel = PrivateFiles.open(file, CREATE_NEW, WRITE)) {
            for (long left = bytes; left > 0; ) {
                zeros.clear().limit((int) Math.min(PAGE_BYTES, left));
                left -= channel.write(zeros);
            }
        }
    }

    /**
     * Creates the exception that refuses the file.
     *
     * @param why the reason, a clause about "it"
     * @return the exception, to be thrown
     */
    public StorageException refused(String why) {
        return new StorageException(kind + " " + path + " is refused: " + why + ".", restore);
    }
}
