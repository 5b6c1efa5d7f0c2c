package dev.fbf.core.memory;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Off-heap words, with or without a memory-mapped file. Each store to a mapped file survives the death of the process, even by
 * {@code kill -9}.
 */
public abstract class MappedWords implements Words {

    /*
     * There are two implementations of off-heap memory, with byte-identical files:
     *
     *   ForeignWords     java.lang.foreign; for JDK 22 and newer, so it lies under META-INF/versions/22
     *   ChronicleWords   sun.misc.Unsafe, about which newer JDKs warn, which they can disable, and which they will remove
     *
     * A JDK finds the first one if it is new enough and reads the jar as a multi-release jar.
     */

    /** System property that selects Chronicle on each JDK, for the tests, if it is {@code chronicle}. */
    static final String PROPERTY = "dev.fbf.memory";

    static final String FOREIGN = "dev.fbf.core.memory.ForeignWords$Memory";

    private static final Logger log = LoggerFactory.getLogger(MappedWords.class);

    private static volatile @Nullable OffHeapMemory chosen;

    private final long size;
    private final @Nullable Path file;

    MappedWords(long size, @Nullable Path file) {
        this.size = size;
        this.file = file;
    }

    /**
     * Maps the whole of an existing file.
     *
     * @param file a file whose length is a multiple of 8 bytes
     * @return its words; the mapping lasts until they are garbage or {@linkplain #unmap unmapped}
     * @throws IOException if the file cannot be opened or mapped
     * @throws StorageException if this JDK cannot map files
     */
    public static MappedWords map(Path file) throws IOException {
        return map(file, file);
    }

    /** Maps a file that will be renamed. Messages and {@link #requireInPlace} use its new path. */
    public static MappedWords map(Path file, Path renamed) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            return memory().map(channel, renamed);
        }
    }

    /**
     * Allocates off-heap memory without a file, which is lost when the process ends.
     *
     * @param size the number of words
     * @return words that are all zero
     * @throws StorageException if this JDK cannot allocate them
     * @throws OutOfMemoryError if they exceed {@code -XX:MaxDirectMemorySize}
     */
    public static MappedWords allocate(long size) {
        return memory().allocate(size);
    }

    private static OffHeapMemory memory() {
        OffHeapMemory memory = chosen;
        if (memory == null) {
            memory = choose("chronicle".equals(System.getProperty(PROPERTY)));
            chosen = memory;
        }
        return memory;
    }

    private static OffHeapMemory choose(boolean chronicle) {
        OffHeapMemory foreign = chronicle ? null : foreign();
        if (foreign != null) {
            return foreign;
        }
        try {
            OffHeapMemory memory = new ChronicleWords.Memory();
            memory.allocate(1);
            return memory;
        } catch (LinkageError | UnsupportedOperationException e) {
            throw unusable(e);
        }
    }

    /** Returns the memory of {@code java.lang.foreign}; null if this JDK or this jar lacks it. */
    static @Nullable OffHeapMemory foreign() {
        try {
            return Class.forName(FOREIGN)
                    .asSubclass(OffHeapMemory.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static StorageException unusable(Throwable cause) {
        return new StorageException(
                "fbf cannot use off-heap memory on JDK " + System.getProperty("java.version") + " in "
                        + System.getProperty("java.home") + ": sun.misc.Unsafe is denied or missing.",
                "On JDK 22 or newer, use the jar fbf-core-offheap as it is published: with META-INF/versions, and"
                        + " Multi-Release: true in the manifest. Before, add the module jdk.unsupported to the runtime.",
                cause);
    }

    @Override
    public final long size() {
        return size;
    }

    @Override
    public final boolean compareAndSet(long index, long expected, long value) {
        return compareAndSetAt(position(index), expected, value);
    }

    @Override
    public final void requireInPlace() {
        if (file == null) {
            return;
        }
        try {
            if (Files.size(file) < size * Long.BYTES) {
                throw MappedFault.of(file, "the file was truncated");
            }
        } catch (NoSuchFileException e) {
            throw new InternalError(file + ": the file was deleted or moved while it was in use", e);
        } catch (IOException e) {
            log.debug("The length of {} cannot be read.", file, e);
        }
    }

    /** {@return the file's path; {@code memory} without a file} */
    @Override
    public final String toString() {
        return file == null ? "memory" : file.toString();
    }
}
