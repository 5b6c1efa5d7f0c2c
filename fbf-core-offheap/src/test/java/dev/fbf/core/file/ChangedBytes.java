package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A sound file of which one byte after another is changed, and changed back. */
public final class ChangedBytes {

    private ChangedBytes() {}

    /** Asserts that each change is refused by the file's name and one of some remedies, and leaves the file as it is. */
    public static void assertEachRefused(Path file, IntStream indexes, ThrowingCallable open, String... remedies)
            throws IOException {
        byte[] sound = Files.readAllBytes(file);
        Random random = new Random(1);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int index : indexes.toArray()) {
                byte[] changed = sound.clone();
                changed[index] ^= (byte) (random.nextBoolean() ? 1 << random.nextInt(8) : 1 + random.nextInt(0xff));
                channel.write(ByteBuffer.wrap(changed, index, 1), index);
                StorageException refusal = catchThrowableOfType(StorageException.class, open);
                assertThat(refusal)
                        .as("byte %d changed to %x", index, changed[index])
                        .isNotNull();
                assertThat(refusal.getMessage()).contains(file + " ").containsAnyOf(remedies);
                assertThat(Files.readAllBytes(file)).isEqualTo(changed);
                channel.write(ByteBuffer.wrap(sound, index, 1), index);
            }
        }
    }
}
