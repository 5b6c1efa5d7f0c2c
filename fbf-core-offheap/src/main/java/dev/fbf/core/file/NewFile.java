package dev.fbf.core.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Atomic creation of a file of words: either the file exists with its whole initial content, or it does not exist. */
final class NewFile {

    private static final Logger log = LoggerFactory.getLogger(NewFile.class);

    /** Free space below which a disk counts as full, in bytes. */
    private static final int LITTLE_ROOM = 1 << 20;

    private static final int PAGE_BYTES = 4096;
    private static final int PAGES_AT_ONCE = 256;

    private NewFile() {}

    /** Signals that the disk has too little room for a file: {@code usable} bytes. */
    static final class NoSpaceException extends FileSystemException {

        private static final long serialVersionUID = 1L;

        final long usable;

        NoSpaceException(Path file, long usable, @Nullable Throwable cause) {
            super(file.toString(), null, "no space");
            initCause(cause);
            this.usable = usable;
        }
    }

    /**
     * Creates a file and maps it. Writes every byte, so that a full disk is detected now and not as a fault of a later store. The file gets
     * its name once it is complete and on the disk, so that a crash leaves no partial file. A failed creation leaves no file; a failed
     * replacement leaves the old file or the complete new one.
     *
     * @param file the file, which is replaced if it exists
     * @param bytes its length, a multiple of 8
     * @param initialize writes the initial values of the words, which are zero before
     * @return its words
     * @throws IOException if the file cannot be created, for example because the disk is full
     * @throws java.io.UncheckedIOException if its content cannot be forced to the disk
     * @throws dev.fbf.core.StorageException if the unfinished file is a symbolic link
     */
    static Words create(Path file, long bytes, Consumer<Words> initialize) throws IOException {
        return create(file, bytes, initialize, new Disk());
    }

    /** The disk to which words and file names are forced; replaced in tests. */
    static class Disk {

        void force(Words words) {
            words.force();
        }

        /** Forces the directory, if the operating system allows that: otherwise a power loss may revert the new name. */
        void forceName(Path file) throws IOException {
            if (PrivateFiles.isPosix(file)) {
                try (FileChannel directory =
                        FileChannel.open(file.toAbsolutePath().getParent(), READ)) {
                    directory.force(true);
                }
            }
        }
    }

    static Words create(Path file, long bytes, Consumer<Words> initialize, Disk disk) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        deleteUnfinished(unfinished); // left by a crash, and occupies space
        long usable = usableSpace(file);
        if (usable < bytes) {
            throw new NoSpaceException(file, usable, null);
        }
        boolean isNew = Files.notExists(file, NOFOLLOW_LINKS);
        boolean made = false;
        try {
            fillWithZeros(unfinished, bytes);
            Words words = MappedWords.map(unfinished, file);
            initialize.accept(words);
            disk.force(words);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            disk.forceName(file);
            made = true;
            return words;
        } catch (IOException e) {
            long left = usableSpace(file);
            if (left < LITTLE_ROOM) {
                throw new NoSpaceException(file, left, e);
            }
            throw e;
        } finally {
            if (!made) {
                discard(unfinished);
                if (isNew) {
                    discard(file); // a replacement is complete, and the only copy left
                }
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

    /** Deletes the unfinished file of a crashed or failed creation. Anything but a regular file stays. */
    static void deleteUnfinished(Path file) throws IOException {
        if (Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            Files.delete(file);
        }
    }

    /**
     * Returns whether a failure to create or write a file is due to a full disk.
     *
     * @param path the file or a directory, which need not exist
     */
    static boolean isFull(Path path, IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("No space left") || message.contains("quota exceeded")) {
            return true;
        }
        if (failure instanceof AccessDeniedException) {
            return false;
        }
        Path existing = path.toAbsolutePath();
        while (Files.notExists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try { // the exception's message may be localized
            FileStore store = Files.getFileStore(existing);
            return !store.isReadOnly() && store.getTotalSpace() > 0 && store.getUsableSpace() < LITTLE_ROOM;
        } catch (IOException e) {
            return false;
        }
    }

    private static long usableSpace(Path file) throws IOException {
        return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace();
    }

    /**
     * Allocates a block for each page of a file, because a copy may have holes for pages of zeros. So a full disk is detected now and not
     * as a fault of a later store. The contents stay. Java cannot find holes, so all pages of zeros are written.
     *
     * @throws IOException if the file cannot be read and written, for example because the disk is full
     */
    static void fillHoles(Path file) throws IOException {
        ByteBuffer pages = ByteBuffer.allocateDirect(PAGES_AT_ONCE * PAGE_BYTES);
        try (FileChannel channel = PrivateFiles.open(file, READ, WRITE)) {
            for (long at = 0; channel.read(pages.clear(), at) > 0; at += pages.limit()) {
                pages.flip();
                for (int page = 0; page < pages.limit(); page += PAGE_BYTES) {
                    int length = Math.min(PAGE_BYTES, pages.limit() - page);
                    ByteBuffer zeros = pages.slice(page, length);
                    if (zeros.mismatch(ByteBuffer.allocate(length)) < 0) {
                        channel.write(zeros, at + page);
                    }
                }
            }
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
}
