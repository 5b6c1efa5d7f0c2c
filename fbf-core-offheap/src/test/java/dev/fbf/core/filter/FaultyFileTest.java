package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.assertj.core.api.AbstractStringAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not as they were written: refused by name, with a remedy, and left byte for byte as they were. */
class FaultyFileTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final int PAGE = 4096;
    private static final int HEADER_BYTES = FilterLayout.HEADER_WORDS * Long.BYTES;
    private static final String[] ACTIONS = {"Restore the original file", "Run the newer version of fbf"};
    private static final String CORRUPT = "its header is corrupt";

    @TempDir
    private Path temporary;

    private Path file;
    private byte[] sound;

    @BeforeEach
    void makeASoundFile() throws IOException {
        file = temporary.resolve("views~1.fbf");
        try (FilterDirectory directory = FilterDirectory.open(temporary)) {
            directory.filter("views", PLAN).put(new OperationId(1, 2));
        }
        sound = Files.readAllBytes(file);
    }

    @Test
    void refusesToOpenAFilterWithAnyByteOfTheHeaderChanged() throws IOException {
        Random random = new Random(1);
        try (FilterDirectory directory = FilterDirectory.open(temporary)) {
            for (int index = 0; index < HEADER_BYTES; index++) {
                assertChangeRefused(index, 1 + random.nextInt(0xff), () -> directory.filter("views", PLAN));
            }
            assertThat(directory.filter("views", PLAN)).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x01, 0x80, 0xff})
    void refusesAnyByteOfTheHeaderWithTheSameChange(int change) throws IOException {
        for (int index = 0; index < HEADER_BYTES; index++) {
            assertChangeRefused(index, change, () -> ArenaFiles.map(file));
        }
    }

    @Test
    void refusesEveryOtherValueOfAByteOfEachKind() throws IOException {
        for (long word : new long[] {
            FilterLayout.MAGIC_WORD,
            FilterLayout.VERSION_WORD,
            FilterLayout.SECRET_WORD,
            FilterLayout.CHECKSUM_WORD,
            FilterLayout.STATE_WORD,
            FilterLayout.BOOTED_AT_WORD,
            FilterLayout.INCOMPLETE_SINCE_WORD,
            FilterLayout.LOG_WORD,
            FilterLayout.HEADER_WORDS - 1
        }) {
            for (int change = 1; change <= 0xff; change++) {
                assertChangeRefused((int) word * Long.BYTES, change, () -> ArenaFiles.map(file));
            }
        }
    }

    @Test
    void refusesAFileThatEndsWithAnyPageButTheLast() throws IOException {
        for (int length = 0; length < sound.length; length += PAGE) {
            Files.write(file, Arrays.copyOf(sound, length));
            assertRefused().contains("it is truncated: " + length + " ");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 4095, 4097, 4104, -9, -8, -7, -1})
    void refusesAFileThatEndsInAPage(int length) throws IOException {
        int bytes = length > 0 ? length : sound.length + length;
        Files.write(file, Arrays.copyOf(sound, bytes));
        assertRefused().contains("it is truncated: " + bytes + " ");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 4096})
    void refusesAFileWithSomethingBehindItsEnd(int more) throws IOException {
        Files.write(file, Arrays.copyOf(sound, sound.length + more));
        assertRefused()
                .contains("it has extra bytes after its end: " + (sound.length + more) + " of " + sound.length
                        + " bytes");
    }

    @Test
    void refusesAFileOfANewerVersion() throws IOException {
        writeVersion(FilterLayout.VERSION_WITH_REQUESTS + 1);
        assertRefused()
                .contains(
                        "has format 3; this version of fbf supports up to 2. Run the newer version of fbf that wrote it.");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void refusesAFileOfAVersionThatNeverWas(long version) throws IOException {
        writeVersion(version);
        assertRefused().contains(CORRUPT);
    }

    @Test
    void refusesAnEmptyFile() throws IOException {
        Files.write(file, new byte[0]);
        assertRefused().contains("it is truncated: 0 bytes are less than a header");
    }

    @Test
    void refusesAForeignFile() throws IOException {
        Files.writeString(file, "text of another program\n".repeat(1000));
        assertRefused().contains("it was not written by fbf on a machine of this byte order");
    }

    @Test
    void refusesAFileOfTheOtherByteOrder() throws IOException {
        ByteBuffer other = ByteBuffer.allocate(sound.length).order(ByteOrder.LITTLE_ENDIAN);
        other.asLongBuffer().put(ByteBuffer.wrap(sound).asLongBuffer());
        Files.write(file, other.array());
        assertRefused().contains("it was not written by fbf on a machine of this byte order");
    }

    @Test
    void refusesADirectoryInsteadOfAFile() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        Files.writeString(file.resolve("inside"), "kept");
        assertRefused().contains("is refused: it is not a regular file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "0", "01", "-1", "+2", "1.old", "10000000000000000000"})
    void refusesAFileWhoseNumberIsNone(String number) throws IOException {
        Path stray = temporary.resolve("views~" + number + ".fbf");
        Files.write(stray, sound);
        assertThat(refusal())
                .contains("The file " + stray + " is named like a file of scope views, but its number is invalid.")
                .contains("Move it away, or restore its name");
    }

    @Test
    void leavesTheSoundFilesOfAScopeAloneToo() throws IOException {
        try (FilterDirectory directory = FilterDirectory.open(temporary)) {
            directory.filter("views", new FilterSizing(500, Duration.ofSeconds(20), 1e-6).plan());
        }
        assertThat(temporary.resolve("views~2.fbf")).exists();
        Files.write(file, Arrays.copyOf(sound, PAGE));
        assertRefused().contains("it is truncated");
    }

    @Test
    void opensTheFileAgainWhenItIsRestored() throws IOException {
        Files.write(file, new byte[PAGE]);
        assertRefused().contains("it was not written by fbf");
        Files.write(file, sound);
        try (FilterDirectory directory = FilterDirectory.open(temporary)) {
            assertThat(directory.filter("views", PLAN).mightContain(new OperationId(1, 2)))
                    .isTrue();
        }
    }

    private AbstractStringAssert<?> assertRefused() throws IOException {
        return assertThat(refusal()).contains("The filter's file " + file + " ").containsAnyOf(ACTIONS);
    }

    /** The refusal when the filter is opened. */
    private String refusal() throws IOException {
        Map<String, ByteBuffer> before = DirectoryContents.of(temporary);
        StorageException refusal;
        try (FilterDirectory directory = FilterDirectory.open(temporary)) {
            refusal = catchThrowableOfType(StorageException.class, () -> directory.filter("views", PLAN));
        }
        assertThat(refusal).isNotNull();
        assertThat(DirectoryContents.of(temporary)).isEqualTo(before);
        return String.valueOf(refusal.getMessage());
    }

    /** Changes a byte of the sound file, and changes it back. */
    private void assertChangeRefused(int index, int change, ThrowingCallable open) throws IOException {
        byte[] changed = sound.clone();
        changed[index] ^= (byte) change;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(changed, index, 1), index);
            StorageException refusal = catchThrowableOfType(StorageException.class, open);
            assertThat(refusal).as("byte %d changed by %x", index, change).isNotNull();
            assertThat(refusal.getMessage())
                    .contains("The filter's file " + file + " ")
                    .containsAnyOf(reasons(index))
                    .containsAnyOf(ACTIONS);
            assertThat(Files.readAllBytes(file)).isEqualTo(changed);
            channel.write(ByteBuffer.wrap(sound, index, 1), index);
        }
    }

    private static String[] reasons(int index) {
        return switch (index / Long.BYTES) {
            case (int) FilterLayout.MAGIC_WORD -> new String[] {"it was not written by fbf"};
            case (int) FilterLayout.VERSION_WORD -> new String[] {"; this version of fbf supports up to 2", CORRUPT};
            default -> new String[] {CORRUPT};
        };
    }

    /** As a release of fbf with that version would: the checksum is right. */
    private void writeVersion(long version) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(sound.clone()).order(ByteOrder.nativeOrder());
        int checksum = (int) FilterLayout.CHECKSUM_WORD * Long.BYTES;
        assertThat(header.getLong(checksum)).isEqualTo(checksum(header));
        header.putLong((int) FilterLayout.VERSION_WORD * Long.BYTES, version);
        Files.write(file, header.putLong(checksum, checksum(header)).array());
    }

    private static long checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, (int) FilterLayout.CHECKSUM_WORD * Long.BYTES));
        return crc.getValue();
    }
}
