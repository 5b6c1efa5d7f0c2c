package dev.fbf.core.memory;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a file of words in one step: it is there with all it should hold, or it is not there. */
public final class NewFile {

    private static final Logger log = LoggerFactory.getLogger(NewFile.class);

    private static final int CHUNK_BYTES = 1 << 20;

    private NewFile() {}

    /** The disk has less room than a file takes. */
    public static final class NoSpaceException extends FileSystemException {

        private static final long serialVersionUID = 1L;

        private final long usable;

        NoSpaceException(Path file, long usable, @Nullable Throwable cause) {
            super(file.toString(), null, "no space");
            initCause(cause);
            this.usable = usable;
        }

        /**
         * Tells how much room there is.
         *
         * @return the bytes that could still be written
         */
        public long usable() {
            return usable;
        }
    }

    /**
     * Makes a file and maps it. Every byte is written, so that a full disk shows now and not as a fault under a store;
     * the file gets its name when it is complete and on the disk, so that a crash leaves no half-made one. Nothing is left of
     * a file that was not there before and cannot be made.
     *
     * @param file the file, which is replaced if there is one
     * @param bytes its length, a multiple of 8
     * @param initialize writes what the words, all zero, shall hold from the start
     * @return its words
     * @throws NoSpaceException if the disk has no room for it
     * @throws IOException if it cannot be made for another reason
     */
    public static Words create(Path file, long bytes, Consumer<Words> initialize) throws IOException {
        return create(file, bytes, initialize, new Disk());
    }

    /** What survives a power loss is up to these. */
    static class Disk {

        void force(Words words) {
            words.force();
        }

        /** A name outlives a power loss only when its directory is forced, where the operating system lets one do that. */
        void forceName(Path file) throws IOException {
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                try (FileChannel directory =
                        FileChannel.open(file.toAbsolutePath().getParent(), READ)) {
                    directory.force(true);
                }
            }
        }
    }

    static Words create(Path file, long bytes, Consumer<Words> initialize, Disk disk) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        deleteUnfinished(unfinished); // a crash may have left it, and it takes space
        long usable = usableSpace(file);
        if (usable < bytes) {
            throw new NoSpaceException(file, usable, null);
        }
        boolean isNew = Files.notExists(file);
        boolean made = false;
        try {
            fillWithZeros(unfinished, bytes);
            Words words = MappedWords.map(unfinished);
            initialize.accept(words);
            disk.force(words);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            disk.forceName(file);
            made = true;
            return words;
        } catch (IOException e) {
            long left = usableSpace(file);
            if (left < CHUNK_BYTES) {
                throw new NoSpaceException(file, left, e);
            }
            throw e;
        } finally {
            if (!made) {
                discard(unfinished);
            }
            if (!made && isNew) {
                discard(file); // one that has replaced another is whole, and all there is
            }
        }
    }

    private static void discard(Path file) {
        try {
            deleteUnfinished(file);
        } catch (IOException e) {
            log.debug("The file {} cannot be deleted.", file, e);
        }
    }

    private static void deleteUnfinished(Path file) throws IOException {
        if (Files.isRegularFile(file)) {
            Files.delete(file);
        }
    }

    private static long usableSpace(Path file) throws IOException {
        return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace();
    }

    private static void fillWithZeros(Path file, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try (FileChannel channel = FileChannel.open(file, CREATE, TRUNCATE_EXISTING, WRITE)) {
            for (long left = bytes; left > 0; ) {
                zeros.clear().limit((int) Math.min(CHUNK_BYTES, left));
                left -= channel.write(zeros);
            }
        }
    }
}
