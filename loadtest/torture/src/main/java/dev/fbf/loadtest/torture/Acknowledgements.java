package dev.fbf.loadtest.torture;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What one thread of a victim acknowledged: of each operation the time before its put, and how many puts have returned.
 * In a mapped file, so that it outlives the victim and costs next to nothing.
 */
final class Acknowledgements {

    /** For a second of puts, one every four microseconds. */
    static final int CAPACITY = 1 << 18;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int COUNT = 0;

    private final MappedByteBuffer buffer;

    Acknowledgements(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            buffer = channel.map(MapMode.READ_WRITE, 0, (1L + CAPACITY) * Long.BYTES);
            buffer.order(ByteOrder.nativeOrder());
        }
    }

    int count() {
        return (int) (long) LONGS.getAcquire(buffer, COUNT);
    }

    long millisBeforePut(int index) {
        return buffer.getLong((1 + index) * Long.BYTES);
    }

    void acknowledge(int index, long millisBeforePut) {
        buffer.putLong((1 + index) * Long.BYTES, millisBeforePut);
        LONGS.setRelease(buffer, COUNT, index + 1L);
    }
}
