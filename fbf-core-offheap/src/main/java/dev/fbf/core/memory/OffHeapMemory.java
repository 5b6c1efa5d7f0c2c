package dev.fbf.core.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The JDK's way to memory off the heap. */
interface OffHeapMemory {

    /**
     * Maps the whole of an open file.
     *
     * @param file the file's path once it has its final name
     */
    MappedWords map(FileChannel channel, Path file) throws IOException;

    /** Allocates words that are all zero, without a file. */
    MappedWords allocate(long size);
}
