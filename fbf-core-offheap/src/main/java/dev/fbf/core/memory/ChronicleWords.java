package dev.fbf.core.memory;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.openhft.chronicle.bytes.PointerBytesStore;
import net.openhft.chronicle.core.UnsafeMemory;
import org.jspecify.annotations.Nullable;

/** Words that Chronicle reads and writes with {@code sun.misc.Unsafe}: for JDK 17 to 21. */
final class ChronicleWords extends MappedWords {

    /*
     * FileChannel.map maps at most 2 GiB at a time, so the file is mapped in segments of 1 GiB:
     *
     *   index  [ segment | word in segment (27 bits) ]
     *
     * Chronicle's own mapped files would need --add-opens; a PointerBytesStore over the address of a buffer that the
     * JDK mapped needs no flag. The store does not know the buffer, which unmaps its memory when it is collected:
     * `buffers` keeps the buffers reachable as long as these words are, and the fence after each access keeps these words reachable until
     * the access is done. So late readers cannot crash the process: only the garbage collector unmaps a file.
     *
     * Accesses use the store's address, not the store: its checks cost more than the access, and delay the processor's
     * load of the next cache line.
     */
    private static final int SEGMENT_WORDS_LOG2 = 27;
    private static final long SEGMENT_WORDS = 1L << SEGMENT_WORDS_LOG2;

    /** Words begin at a cache line, as those of a file always do. */
    private static final int LINE_BYTES = 64;

    /** Logger that warns of a flag that fbf's use of Chronicle does not need. A strong reference keeps its level. */
    private static final Logger FLAG_WARNING =
            Logger.getLogger("net.openhft.chronicle.core.internal.cleaner.ReflectionBasedByteBufferCleanerService");

    static {
        FLAG_WARNING.setLevel(Level.OFF);
    }

    private static final UnsafeMemory MEMORY = UnsafeMemory.INSTANCE;
    private static final long ADDRESS_OFFSET = addressOffset();

    private final MappedByteBuffer[] buffers;
    private final PointerBytesStore[] segments;
    private final long[] addresses;
    /** The address of a file's only segment, which makes its lookup unnecessary; 0 if there are several segments. */
    private final long onlyAddress;

    private ChronicleWords(MappedByteBuffer[] buffers, long size, @Nullable Path file) {
        super(size, file);
        this.buffers = buffers;
        segments = new PointerBytesStore[buffers.length];
        addresses = new long[buffers.length];
        for (int i = 0; i < buffers.length; i++) {
            long address = UnsafeMemory.unsafeGetLong(buffers[i], ADDRESS_OFFSET);
            long aligned = (address + LINE_BYTES - 1) & -LINE_BYTES;
            segments[i] = new PointerBytesStore();
            segments[i].set(aligned, buffers[i].capacity() - (aligned - address));
            addresses[i] = segments[i].addressForRead(0);
        }
        onlyAddress = addresses.length == 1 ? addresses[0] : 0;
    }

    /** Off-heap memory with Chronicle's words. */
    static final class Memory implements OffHeapMemory {

        @Override
        public MappedWords map(FileChannel channel, Path file) throws IOException {
            long size = channel.size() / Long.BYTES;
            MappedByteBuffer[] buffers = new MappedByteBuffer[segments(size)];
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = channel.map(
                        MapMode.READ_WRITE, i * SEGMENT_WORDS * Long.BYTES, segmentWords(size, i) * Long.BYTES);
                buffers[i].order(ByteOrder.nativeOrder());
            }
            return new ChronicleWords(buffers, size, file);
        }

        @Override
        public MappedWords allocate(long size) {
            MappedByteBuffer[] buffers = new MappedByteBuffer[segments(size)];
            for (int i = 0; i < buffers.length; i++) {
                // the JDK treats direct buffers as mapped ones without a file, for which force has no effect
                buffers[i] = (MappedByteBuffer)
                        ByteBuffer.allocateDirect((int) segmentWords(size, i) * Long.BYTES + LINE_BYTES);
            }
            return new ChronicleWords(buffers, size, null);
        }
    }

    private static int segments(long size) {
        return Math.toIntExact(((size - 1) >>> SEGMENT_WORDS_LOG2) + 1);
    }

    private static long segmentWords(long size, int segment) {
        return Math.min(SEGMENT_WORDS, size - segment * SEGMENT_WORDS);
    }

    @Override
    public long position(long index) {
        return onlyAddress != 0
                ? onlyAddress + index * Long.BYTES
                : addresses[(int) (index >>> SEGMENT_WORDS_LOG2)] + (index & (SEGMENT_WORDS - 1)) * Long.BYTES;
    }

    @Override
    public long getPlainAt(long line, long word) {
        try {
            return MEMORY.readLong(line + word * Long.BYTES);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public long getPlainAt(long position) {
        try {
            return MEMORY.readLong(position);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public long getVolatile(long index) {
        try {
            return MEMORY.readVolatileLong(position(index));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void setRelease(long index, long value) {
        try {
            MEMORY.writeOrderedLong(position(index), value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean compareAndSetAt(long position, long expected, long value) {
        try {
            return MEMORY.compareAndSwapLong(position, expected, value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void force() {
        for (MappedByteBuffer buffer : buffers) {
            buffer.force();
        }
    }

    @Override
    public void force(long first, int count) {
        int segment = (int) (first >>> SEGMENT_WORDS_LOG2);
        buffers[segment].force((int) (first & (SEGMENT_WORDS - 1)) * Long.BYTES, count * Long.BYTES);
    }

    private static long addressOffset() {
        try {
            return UnsafeMemory.unsafeObjectFieldOffset(Buffer.class.getDeclaredField("address"));
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("this JDK's java.nio.Buffer has no address field", e);
        }
    }
}
