package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Filters' files that somebody has changed. */
public final class ChangedFile {

    private ChangedFile() {}

    /** Makes it one of a version to come. */
    public static void toNewerFormat(Path file) throws IOException {
        write(file, FilterLayout.VERSION_WORD, FilterLayout.VERSION_WITH_REQUESTS + 1);
    }

    /** Changes a word of its header. */
    public static void corrupt(Path file) throws IOException {
        write(file, FilterLayout.LINES_WORD, 1);
    }

    private static void write(Path file, long word, long value) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.putLong(0, value);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(bytes, word * Long.BYTES);
        }
    }
}
