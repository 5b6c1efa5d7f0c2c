package dev.fbf.core.claim;

import dev.fbf.core.memory.Words;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** How many stores a process makes before it dies. Words may share them. */
public final class StoresLeft {

    private int left;

    public StoresLeft(int left) {
        this.left = left;
    }

    /** No end in sight. */
    static StoresLeft unlimited() {
        return new StoresLeft(Integer.MAX_VALUE);
    }

    void set(int left) {
        this.left = left;
    }

    public Words of(Words words) {
        return new Words() {

            @Override
            public long size() {
                return words.size();
            }

            @Override
            public long getVolatile(long index) {
                return words.getVolatile(index);
            }

            @Override
            public void setRelease(long index, long value) {
                store();
                words.setRelease(index, value);
            }

            @Override
            public boolean compareAndSet(long index, long expected, long value) {
                store();
                return words.compareAndSet(index, expected, value);
            }

            @Override
            public void force() {
                store();
                words.force();
            }

            @Override
            public void force(long first, int count) {
                store();
                words.force(first, count);
            }
        };
    }

    LogStore of(LogStore log) {
        return new LogStore() {

            @Override
            public void begin(LongFunction<byte[]> head, long endBytes) {
                store();
                log.begin(head, endBytes);
            }

            @Override
            public void makeRoom(int bytes) {
                log.makeRoom(bytes);
            }

            @Override
            public void append(byte[] bytes) {
                store();
                log.append(bytes);
            }

            @Override
            public void force() {
                store();
                log.force();
            }

            @Override
            public void read(Consumer<ByteBuffer> segment) {
                log.read(segment);
            }

            @Override
            public void keepFor(long millis) {
                log.keepFor(millis);
            }

            @Override
            public void delete() {
                log.delete();
            }

            @Override
            public void close() {
                log.close();
            }
        };
    }

    private void store() {
        if (left == 0) {
            throw new Death();
        }
        left -= left == Integer.MAX_VALUE ? 0 : 1;
    }
}
