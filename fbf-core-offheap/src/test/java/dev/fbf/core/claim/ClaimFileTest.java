package dev.fbf.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.ClaimRecords.Entry;
import dev.fbf.core.filter.ChildJvm;
import dev.fbf.core.filter.DirectoryContents;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records are read back as written, or the file is refused by name, with a remedy, and left byte for byte as it was. */
class ClaimFileTest {

    private static final int CAPACITY = 5;
    private static final int HEADER_BYTES = ClaimLayout.HEADER_WORDS * Long.BYTES;
    private static final int RECORD_BYTES = ClaimLayout.RECORD_WORDS * Long.BYTES;
    private static final Entry FIRST = new Entry(0, new OperationId(-1, 1), -7, 8, 3, Long.MIN_VALUE, -4, 5, null);
    private static final Entry LAST = new Entry(4, new OperationId(2, -2), 7, -8, 0, 0, Long.MAX_VALUE, 6, null);
    private static final String RESTORE =
            "Restore the original file: it alone lists the operations that were in doubt when the process ended";

    @TempDir
    private Path temporary;

    private Path file;
    private UUID node;
    private byte[] sound;

    @BeforeEach
    void makeAFileWithTwoRecords() throws IOException {
        file = temporary.resolve("fbf.claims");
        ClaimRecords records = ClaimFile.open(temporary, CAPACITY, null);
        node = records.node();
        records.write(FIRST);
        records.write(LAST);
        sound = Files.readAllBytes(file);
    }

    @Test
    void readsBackWhatWasWritten() {
        ClaimRecords records = open(CAPACITY);

        assertThat(records.entries()).containsExactly(FIRST, LAST);
        assertThat(records.node()).isEqualTo(node);
        assertThat(records.capacity()).isEqualTo(CAPACITY);
    }

    @Test
    void readsBackNothingThatWasFreed() {
        open(CAPACITY).free(FIRST.recordIndex());

        assertThat(open(CAPACITY).entries()).containsExactly(LAST);
    }

    @Test
    void readsBackARecordThatReplacedAnother() {
        Entry other = new Entry(4, new OperationId(9, 9), 9, 9, 4, 9, 9, 9, null);
        open(CAPACITY).free(LAST.recordIndex());
        open(CAPACITY).write(other);

        assertThat(open(CAPACITY).entries()).containsExactly(FIRST, other);
    }

    @Test
    void keepsTheNodeAndAllRecordsWhenItGrows() {
        ClaimRecords grown = open(100);
        Entry another = new Entry(99, new OperationId(3, 3), 1, 1, 99, 1, 2, 3, null);
        grown.write(another);

        ClaimRecords records = open(100);
        assertThat(records.node()).isEqualTo(node);
        assertThat(records.capacity()).isEqualTo(100);
        assertThat(records.entries()).containsExactly(FIRST, LAST, another);
        assertThat(temporary).isDirectoryContaining("glob:**.claims").isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void keepsItsSizeWhenFewerClaimsAreAskedFor() throws IOException {
        ClaimRecords records = open(1);

        assertThat(records.capacity()).isEqualTo(CAPACITY);
        assertThat(records.entries()).containsExactly(FIRST, LAST);
        assertThat(file).hasBinaryContent(sound);
    }

    @Test
    void givesEachDirectoryANodeOfItsOwn() throws IOException {
        Path another = Files.createDirectory(temporary.resolve("another"));

        assertThat(ClaimFile.open(another, CAPACITY, null).node()).isNotEqualTo(node);
    }

    @Test
    void refusesAnyByteOfTheHeaderOrOfALiveRecordChanged() throws IOException {
        Random random = new Random(1);
        for (int index = 0; index < HEADER_BYTES + CAPACITY * RECORD_BYTES; index++) {
            if (index < HEADER_BYTES + RECORD_BYTES || index >= HEADER_BYTES + LAST.recordIndex() * RECORD_BYTES) {
                assertChangeRefused(index, random.nextBoolean() ? 1 << random.nextInt(8) : 1 + random.nextInt(0xff));
            }
        }
        assertThat(open(CAPACITY).entries()).containsExactly(FIRST, LAST);
    }

    @Test
    void letsAFreeRecordHoldAnything() throws IOException {
        int state = HEADER_BYTES + RECORD_BYTES;
        byte[] changed = sound.clone();
        Arrays.fill(changed, state + Long.BYTES, state + RECORD_BYTES, (byte) 0xa5);
        Files.write(file, changed);

        assertThat(open(CAPACITY).entries()).containsExactly(FIRST, LAST);
    }

    @Test
    void keepsNoRecordThatIsHalfWritten() {
        HeapWords words = new HeapWords(ClaimLayout.words(CAPACITY));
        ClaimRecords.initialize(words, CAPACITY, node);
        int all = ClaimLayout.RECORD_WORDS + 1;
        for (int stores = 0; stores <= all; stores++) {
            StoresLeft dying = new StoresLeft(stores);
            boolean died =
                    catchThrowableOfType(Death.class, () -> new ClaimRecords(dying.of(words)).write(LAST)) != null;
            ClaimRecords found = new ClaimRecords(words);

            assertThat(died).isEqualTo(stores < all);
            assertThat(found.areSound()).isTrue();
            assertThat(found.entries()).isEqualTo(died ? List.of() : List.of(LAST));
        }
    }

    @Test
    void refusesAFileThatEndsWithAnyRecordButTheLast() throws IOException {
        for (int records = 0; records < CAPACITY; records++) {
            int bytes = HEADER_BYTES + records * RECORD_BYTES;
            Files.write(file, Arrays.copyOf(sound, bytes));
            assertRefused()
                    .contains("it is truncated: " + bytes + " of " + sound.length + " bytes")
                    .contains(RESTORE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, HEADER_BYTES - 1})
    void refusesAFileThatEndsInItsHeader(int bytes) throws IOException {
        Files.write(file, Arrays.copyOf(sound, bytes));
        assertRefused()
                .contains("it is truncated: " + bytes + " bytes are less than a header")
                .contains(RESTORE);
    }

    @ParameterizedTest
    @ValueSource(ints = {-RECORD_BYTES - 1, -9, -8, -1, 1, 7, 8, RECORD_BYTES})
    void refusesAFileOfAnotherLength(int more) throws IOException {
        Files.write(file, Arrays.copyOf(sound, sound.length + more));
        assertRefused()
                .contains(more < 0 ? "it is truncated" : "it has extra bytes after its end")
                .contains(": " + (sound.length + more) + " of " + sound.length + " bytes")
                .contains(RESTORE);
    }

    @Test
    void refusesAFileOfANewerVersion() throws IOException {
        writeVersion(ClaimLayout.VERSION + 1);
        assertRefused()
                .contains(
                        "has format 2; this version of fbf supports up to 1. Run the newer version of fbf that wrote it.");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void refusesAFileOfAVersionThatNeverWas(long version) throws IOException {
        writeVersion(version);
        assertRefused().contains("its header is corrupt");
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
    void refusesADirectoryInsteadOfTheFile() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        assertRefused().contains("it is not a regular file");
    }

    @Test
    void refusesAFileThatNoDiskHasRoomForAndKeepsTheOneItHas() throws IOException {
        int vast = Integer.MAX_VALUE;
        assumeTrue(Files.getFileStore(temporary).getUsableSpace() < ClaimLayout.words(vast) * Long.BYTES);
        Map<String, ByteBuffer> before = DirectoryContents.of(temporary);

        StorageException refusal =
                catchThrowableOfType(StorageException.class, () -> ClaimFile.open(temporary, vast, null));

        assertThat(refusal)
                .hasMessageContaining(String.format(
                        Locale.ROOT, "needs %,d bytes, and the disk has ", ClaimLayout.words(vast) * Long.BYTES))
                .hasMessageContaining("allow fewer claims");
        assertThat(DirectoryContents.of(temporary)).isEqualTo(before);
    }

    @Test
    void makesNoFileThatTheDiskHasNoRoomFor() throws Exception {
        Path disk = Files.createDirectory(temporary.resolve("disk"));
        String mount = "mount -t tmpfs -o mode=700,size=64k tmpfs '" + disk + "' && exec \"$@\"";
        List<String> onDisk = List.of("unshare", ChildJvm.isRoot() ? "-m" : "-rm", "sh", "-c", mount, "sh");
        assumeTrue(ChildJvm.canRun(onDisk), "a disk cannot be mounted for a process of its own");

        ChildJvm.run(onDisk, SmallDisk.class, disk);
    }

    static final class SmallDisk {

        private SmallDisk() {}

        public static void main(String[] arguments) throws IOException {
            Path disk = Path.of(arguments[0]);
            assertNoRoom(disk);
            assertThat(disk).isEmptyDirectory();
            ClaimFile.open(disk, CAPACITY, null).write(FIRST);
            Map<String, ByteBuffer> before = DirectoryContents.of(disk);
            assertNoRoom(disk);
            assertThat(DirectoryContents.of(disk)).isEqualTo(before);
            assertThat(ClaimFile.open(disk, CAPACITY, null).entries()).containsExactly(FIRST);
        }

        private static void assertNoRoom(Path disk) {
            StorageException refusal =
                    catchThrowableOfType(StorageException.class, () -> ClaimFile.open(disk, 10_000, null));
            assertThat(refusal)
                    .hasMessageContaining("The file of the claims " + disk.resolve("fbf.claims") + " needs ")
                    .hasMessageContaining("Free some space, choose another directory, or allow fewer claims.");
        }
    }

    @Test
    void writesRecordsThatDoNotTouchEachOther() throws IOException {
        Path another = Files.createDirectory(temporary.resolve("full"));
        ClaimRecords records = ClaimFile.open(another, 50, null);
        List<Entry> entries = IntStream.range(0, 50)
                .mapToObj(i -> new Entry(i, new OperationId(i, ~i), i, ~i, i, -i, i + 1, i + 2, null))
                .toList();
        entries.forEach(records::write);
        Words words = MappedWords.map(another.resolve("fbf.claims"));

        assertThat(new ClaimRecords(words).entries()).isEqualTo(entries);
        entries.stream()
                .filter(entry -> entry.recordIndex() % 2 == 0)
                .forEach(entry -> records.free(entry.recordIndex()));
        assertThat(new ClaimRecords(words).entries())
                .isEqualTo(entries.stream()
                        .filter(entry -> entry.recordIndex() % 2 == 1)
                        .toList());
    }

    private ClaimRecords open(int capacity) {
        return ClaimFile.open(temporary, capacity, null);
    }

    private AbstractStringAssert<?> assertRefused() throws IOException {
        Map<String, ByteBuffer> before = DirectoryContents.of(temporary);
        StorageException refusal = catchThrowableOfType(StorageException.class, () -> open(CAPACITY));
        assertThat(refusal).isNotNull();
        assertThat(DirectoryContents.of(temporary)).isEqualTo(before);
        return assertThat(refusal.getMessage()).contains("The file of the claims " + file + " ");
    }

    /** Changes a byte of the sound file, and changes it back. */
    private void assertChangeRefused(int index, int change) throws IOException {
        byte[] changed = sound.clone();
        changed[index] ^= (byte) change;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(changed, index, 1), index);
            StorageException refusal = catchThrowableOfType(StorageException.class, () -> open(CAPACITY));
            assertThat(refusal).as("byte %d changed by %x", index, change).isNotNull();
            assertThat(refusal.getMessage())
                    .contains("The file of the claims " + file + " ")
                    .containsAnyOf(RESTORE, "Run the newer version of fbf");
            assertThat(Files.readAllBytes(file)).isEqualTo(changed);
            channel.write(ByteBuffer.wrap(sound, index, 1), index);
        }
    }

    /** As a release of fbf with that version would: the checksum is right. */
    private void writeVersion(long version) throws IOException {
        HeapWords words = new HeapWords(ClaimLayout.words(CAPACITY));
        ByteBuffer bytes = ByteBuffer.wrap(sound.clone()).order(ByteOrder.nativeOrder());
        for (int word = 0; word < words.size(); word++) {
            words.setRelease(word, bytes.getLong(word * Long.BYTES));
        }
        words.setRelease(ClaimLayout.VERSION_WORD, version);
        ClaimRecords.seal(words);
        for (int word = 0; word < words.size(); word++) {
            bytes.putLong(word * Long.BYTES, words.getVolatile(word));
        }
        Files.write(file, bytes.array());
    }
}
