package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a machine that went down leaves of a filter's file that was open. */
public final class PowerFailure {

    private PowerFailure() {}

    /** Whether this machine tells its starts apart. */
    public static boolean canBeTold() {
        return MachineClock.monotonic().boot() != MachineClock.UNKNOWN_BOOT;
    }

    /** Makes a file, as a process left it that was killed, one of an earlier start of the machine. */
    public static void hit(Path file) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        word.putLong(0, CheckedWord.of(1));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(word, FilterLayout.BOOT_WORD * Long.BYTES);
        }
    }
}
