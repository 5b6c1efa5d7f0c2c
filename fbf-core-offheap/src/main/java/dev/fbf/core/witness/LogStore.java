package dev.fbf.core.witness;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Storage of the bytes of a {@link ClaimLog} in segments. Not thread-safe, except for {@link #force} and {@link #keepFor}. */
interface LogStore extends AutoCloseable {

    /**
     * Begins the first segment of this process.
     *
     * @param head the first bytes of each segment, as a function of the machine's uptime in milliseconds when the segment begins
     * @param endBytes the space of a segment in addition to the bytes that {@link #makeRoom} is called for
     * @throws dev.fbf.core.StorageException if the segment cannot be created
     */
    void begin(LongFunction<byte[]> head, long endBytes);

    /**
     * Makes room for bytes: begins another segment if this one is full.
     *
     * @throws dev.fbf.core.StorageException if the segment cannot be created, for example because the disk is full; no bytes are lost, and
     *     later calls may succeed
     */
    void makeRoom(int bytes);

    /** Appends bytes. Once this returns, they survive the death of the process. */
    void append(byte[] bytes);

    /** Forces all previously appended bytes to the disk. Called by one thread at a time. */
    void force();

    /**
     * Reads the segments of previous processes, the oldest first. After a power failure a segment may end with damaged
     * bytes that were not forced.
     */
    void read(Consumer<ByteBuffer> segment);

    /** From now on keeps appended bytes for at least this time, in milliseconds; before the first call, forever. */
    void keepFor(long millis);

    /** Deletes the log. Bytes that are appended later are lost. */
    void delete();

    @Override
    void close();
}
