package dev.fbf.core.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Words in a segment of {@code java.lang.foreign}: for JDK 22 and newer. */
final class ForeignWords extends MappedWords {

    /*
     * A position is an offset in bytes. An access checks that the segment is mapped and the offset is within it. The reads of a line share
     * one check of the whole line: the compiler detects that it is the same, and that the word is within it.
     *
     * A file has a shared arena, which can be closed. When the filter drops one of its files, the file is deleted, but its disk space is
     * only freed when it is unmapped. That must not wait for the collector, which may not visit old objects for days. The cleaner closes
     * the arenas of other files, once their words are unreachable; the fence after each access keeps them reachable until the access is
     * done. A late access to a closed arena throws an IllegalStateException.
     *
     * Memory without a file has an automatic arena, because only these count toward -XX:MaxDirectMemorySize.
     */

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private static final VarHandle WORD_OF_LINE = MemoryLayout.sequenceLayout(8, ValueLayout.JAVA_LONG_UNALIGNED)
            .varHandle(PathElement.sequenceElement())
            .withInvokeExactBehavior();

    /** Words begin at a cache line, as those of a file always do. */
    private static final int LINE_BYTES = 64;

    private final MemorySegment segment;
    private final Cleaner.@Nullable Cleanable mapping;

    private ForeignWords(MemorySegment segment, @Nullable Arena closeable, @Nullable Path file) {
        super(segment.byteSize() / Long.BYTES, file);
        this.segment = segment;
        mapping = closeable == null ? null : Unmapping.CLEANER.register(this, closeable::close);
    }

    /** Lazy holder: the cleaner's thread is not started in applications without files. */
    private static final class Unmapping {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /** Maps and allocates words. */
    static final class Memory implements OffHeapMemory {

        @Override
        public MappedWords map(FileChannel channel, Path file) throws IOException {
            Arena arena = Arena.ofShared();
            try {
                return new ForeignWords(channel.map(MapMode.READ_WRITE, 0, channel.size(), arena), arena, file);
            } catch (IOException | RuntimeException | Error e) {
                arena.close();
                throw e;
            }
        }

        @Override
        public MappedWords allocate(long size) {
            return new ForeignWords(Arena.ofAuto().allocate(size * Long.BYTES, LINE_BYTES), null, null);
        }
    }

    @Override
    public long getPlainAt(long position) {
        try {
            return (long) WORD.get(segment, position);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public long getPlainAt(long line, long word) {
        try {
            return (long) WORD_OF_LINE.get(segment, line, word);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public long getVolatile(long index) {
        try {
            return (long) WORD.getVolatile(segment, position(index));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void setRelease(long index, long value) {
        try {
            WORD.setRelease(segment, position(index), value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean compareAndSetAt(long position, long expected, long value) {
        try {
            return WORD.compareAndSet(segment, position, expected, value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void unmap() {
        if (mapping != null) {
            mapping.clean();
        }
    }

    @Override
    public void force() {
        try {
            if (segment.isMapped()) {
                segment.force();
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void force(long first, int count) {
        try {
            if (segment.isMapped()) {
                segment.asSlice(first * Long.BYTES, (long) count * Long.BYTES).force();
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
