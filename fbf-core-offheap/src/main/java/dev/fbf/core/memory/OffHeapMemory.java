package dev.fbf.core.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Off-heap memory by one of the JDK's APIs. */
interface OffHeapMemory {

    /**
     * Maps an entire open file.
     *
     * @param file the file's final path
     */
    MappedWords map(FileChannel channel, Path file) throws IOException;

    /** Allocates words that are all zero, without a file. */
    MappedWords allocate(long size);
}
