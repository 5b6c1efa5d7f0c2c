package dev.fbf.core.guard;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Where a {@link ClaimLog} is written: bytes, to whose end some are added. Used by one thread at a time, but for {@link #force}. */
interface LogStore extends AutoCloseable {

    /**
     * Begins the first segment of this process.
     *
     * @param head what this segment, and each one after it, begins with
     * @param endBytes for how many bytes a segment has room beyond those that {@link #makeRoom} is called for
     */
    void begin(byte[] head, long endBytes);

    /**
     * Has so many bytes fit in: begins another segment if this one is full.
     *
     * @throws dev.fbf.core.StorageException if there is no room on the disk; nothing is lost, and there may be room later
     */
    void makeRoom(int bytes);

    /** Adds bytes at the end. Once this returns, they survive the death of the process. */
    void append(byte[] bytes);

    /** Forces what was appended before to the disk. Called by one thread at a time. */
    void force();

    /**
     * Hands out what the process before this one wrote, in segments, the oldest first. After a power failure a segment ends
     * with whatever the disk has of what was not forced.
     */
    void read(Consumer<ByteBuffer> segment);

    /** From now on keeps what was appended for so many milliseconds, or longer. */
    void keepFor(long millis);

    /** Deletes all. Nothing is appended after that. */
    void delete();

    @Override
    void close();
}
