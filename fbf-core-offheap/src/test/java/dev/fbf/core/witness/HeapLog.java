package dev.fbf.core.witness;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** A log above a disk that has its forced bytes, and perhaps parts of the rest. */
class HeapLog implements LogStore {

    enum Fault {
        NONE,
        /** A force has an error. */
        FAILS,
        /** Nothing can be written but ends. */
        FULL,
        FORCES_NOTHING,
        LOSES_ENDS
    }

    private final List<byte[]> segments;
    private final List<byte[]> written = new ArrayList<>();
    private int forced;
    private Fault fault = Fault.NONE;
    private Stores stores = new Stores();
    private int forces;
    private long kept;

    HeapLog() {
        this(List.of());
    }

    private HeapLog(List<byte[]> segments) {
        this.segments = segments;
    }

    /** The remains of a process. */
    static HeapLog of(byte[] left) {
        return new HeapLog(List.of(left));
    }

    /** The log as the next process finds it. */
    HeapLog afterDeath() {
        return next(joined(written));
    }

    /** The log after the next boot: all forced bytes, and nothing else. */
    HeapLog afterPowerLoss() {
        return next(joined(written.subList(0, forced)));
    }

    /** A possible log after the next boot: each byte that was not forced may be lost. */
    HeapLog afterPowerLoss(Random random) {
        byte[] all = joined(written);
        int sure = joined(written.subList(0, forced)).length;
        boolean byBytes = random.nextBoolean();
        int torn = sure + (all.length > sure ? random.nextInt(all.length - sure + 1) : 0);
        for (int i = sure; i < all.length; i++) {
            if (byBytes ? random.nextBoolean() : i >= torn) {
                all[i] = 0;
            }
        }
        return next(all);
    }

    private HeapLog next(byte[] segment) {
        List<byte[]> all = new ArrayList<>(segments);
        all.add(segment);
        return new HeapLog(all);
    }

    /** From now on it has this fault. */
    void broken(Fault fault) {
        this.fault = fault;
    }

    /** From now on, each write and each force is a store of the process. */
    HeapLog of(Stores those) {
        stores = those;
        return this;
    }

    /** The segments of earlier processes. */
    List<byte[]> segments() {
        return segments;
    }

    int forces() {
        return forces;
    }

    long kept() {
        return kept;
    }

    @Override
    public void begin(LongFunction<byte[]> head, long endBytes) {
        stores.dieIfDue();
        written.add(head.apply(0));
    }

    @Override
    public void makeRoom(int bytes) {
        if (fault == Fault.FULL) {
            throw new StorageException("The disk is full.", "Free some space.", null);
        }
    }

    @Override
    public void append(byte[] bytes) {
        stores.dieIfDue();
        boolean isEnd = bytes.length == 4 * Long.BYTES;
        if (!isEnd || fault != Fault.LOSES_ENDS) {
            written.add(bytes);
        }
    }

    @Override
    public void force() {
        stores.dieIfDue();
        forces++;
        if (fault == Fault.FAILS) {
            throw new UncheckedIOException(new IOException("the disk is gone"));
        }
        if (fault != Fault.FORCES_NOTHING) {
            forced = written.size();
        }
    }

    @Override
    public void read(Consumer<ByteBuffer> segment) {
        segments.forEach(bytes -> segment.accept(ByteBuffer.wrap(bytes)));
    }

    @Override
    public void keepFor(long millis) {
        kept = millis;
    }

    @Override
    public void delete() {
        written.clear();
        forced = 0;
    }

    @Override
    public void close() {
        // it is in memory
    }

    private static byte[] joined(List<byte[]> parts) {
        ByteBuffer all =
                ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
        parts.forEach(all::put);
        return all.array();
    }
}
