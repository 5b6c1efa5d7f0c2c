package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.file.ChangedBytes;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records are read back as written, or the file is refused by name, with a remedy, and left byte for byte as it was. */
class ClaimFileTest {

    private static final int CAPACITY = 5;
    private static final int HEADER_BYTES = ClaimLayout.HEADER_WORDS * Long.BYTES;
    private static final int RECORD_BYTES = ClaimLayout.RECORD_WORDS * Long.BYTES;
    private static final Entry FIRST = new Entry(0, new OperationId(-1, 1), -7, 8, 3, Long.MIN_VALUE, -4, 5);
    private static final Entry LAST = new Entry(4, new OperationId(2, -2), 7, (1L << 40) - 8, 0, 0, Long.MAX_VALUE, 6);
    private static final String RESTORE =
            "Restore the original file: it lists the operations that were in doubt when the process ended";

    @TempDir
    private Path temporary;

    private Path file;
    private UUID node;
    private byte[] sound;

    @BeforeEach
    void makeAFileWithTwoRecords() throws IOException {
        file = temporary.resolve("fbf.claims");
        ClaimRecords records = ClaimRecords.open(temporary, CAPACITY);
        node = records.node();
        records.write(FIRST);
        records.write(LAST);
        sound = Files.readAllBytes(file);
    }

    @Test
    void keepsTheNodeAndAllRecordsWhenItGrows() {
        ClaimRecords grown = open(100);
        Entry another = new Entry(99, new OperationId(3, 3), 1, 1, 99, 1, 2, 3);
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
    void refusesAnyByteOfTheHeaderOrOfALiveRecordChanged() throws IOException {
        int last = HEADER_BYTES + LAST.recordIndex() * RECORD_BYTES;
        IntStream live = IntStream.concat(
                IntStream.range(0, HEADER_BYTES + RECORD_BYTES), IntStream.range(last, last + RECORD_BYTES));

        ChangedBytes.assertEachRefused(file, live, () -> open(CAPACITY), RESTORE, "Run the newer version of fbf");

        assertThat(open(CAPACITY).entries()).containsExactly(FIRST, LAST);
    }

    @Test
    void keepsNoRecordThatIsHalfWritten() {
        HeapWords words = new HeapWords(ClaimLayout.words(CAPACITY));
        ClaimRecords.initialize(words, CAPACITY, node);
        int all = ClaimLayout.RECORD_WORDS + 1;
        for (int stores = 0; stores <= all; stores++) {
            Stores dying = Stores.until(stores);
            boolean died =
                    catchThrowableOfType(Death.class, () -> new ClaimRecords(dying.of(words)).write(LAST)) != null;
            ClaimRecords found = new ClaimRecords(words);

            assertThat(died).isEqualTo(stores < all);
            assertThat(found.areSound()).isTrue();
            assertThat(found.entries()).isEqualTo(died ? List.of() : List.of(LAST));
        }
    }

    private ClaimRecords open(int capacity) {
        return ClaimRecords.open(temporary, capacity);
    }
}
