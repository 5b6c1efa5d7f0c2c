package dev.fbf.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.guard.ClaimLog.LoggedClaim;
import dev.fbf.core.guard.ClaimRecords.Entry;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFilesTest {

    /** A file is full after some of them. */
    private static final int LARGE = 30_000;

    @TempDir
    private Path directory;

    @Test
    void whatIsForcedIsReadBackInItsOrderThoughItTakesSeveralFiles() throws Exception {
        List<LoggedClaim> written = new ArrayList<>();
        try (LogFiles files = LogFiles.open(directory)) {
            ClaimLog log = new ClaimLog(files);
            for (int i = 0; i < 9; i++) {
                List<LoggedClaim> claims = claims(i, LARGE);
                log.begun(claims);
                log.ended(1, i, 100 + i, true);
                written.addAll(claims);
                if (i % 3 == 2) {
                    log.force();
                }
            }
        }
        assertThat(numbers()).hasSizeGreaterThan(2);

        List<LoggedClaim> read = new ArrayList<>();
        try (LogFiles next = LogFiles.open(directory)) {
            assertThat(new ClaimLog(next).read(read::add).open()).isEmpty();
        }
        assertThat(read).isEqualTo(written);
    }

    @Test
    void oneWhoseThreadIsInterruptedIsWrittenAllTheSame() {
        try (LogFiles files = LogFiles.open(directory)) {
            ClaimLog log = new ClaimLog(files);
            Thread.currentThread().interrupt();
            log.begun(claims(0, 1));
            log.force();
            assertThat(Thread.interrupted()).isTrue();
            log.begun(claims(1, 1));
            log.force();
        }
        try (LogFiles next = LogFiles.open(directory)) {
            assertThat(new ClaimLog(next).read(claim -> {}).open()).hasSize(2);
        }
    }

    @Test
    void filesAreDeletedWhenAllTheyHaveWasKeptForLongEnough() throws Exception {
        for (int process = 0; process < 3; process++) {
            try (LogFiles files = LogFiles.open(directory)) {
                files.keepFor(1);
            }
        }
        for (long number : List.of(1L, 2L)) {
            Files.setLastModifiedTime(directory.resolve("fbf.log~" + number), FileTime.fromMillis(1_000 * number));
        }
        try (LogFiles files = LogFiles.open(directory)) {
            files.keepFor(System.currentTimeMillis() - 1_500);
            ClaimLog log = new ClaimLog(files);
            log.begun(claims(0, LARGE));
            log.begun(claims(0, LARGE));
            log.begun(claims(0, LARGE));
            log.begun(claims(0, LARGE));

            assertThat(numbers()).doesNotContain(1L).contains(2L, 3L);
            assertThat(log.read(claim -> {}).open())
                    .as("of the files that are left")
                    .isEmpty();
        }
    }

    @Test
    void readsUpToTheFirstWrongByteWhicheverThatIs() {
        HeapLog store = new HeapLog();
        ClaimLog log = new ClaimLog(store);
        log.begun(claims(0, 2));
        log.begun(claims(1, 1));
        log.ended(1, 0, 100, true);
        byte[] whole = store.afterDeath().segments().get(0);
        int first = ByteBuffer.wrap(whole).capacity() - (5 + 5 + 4) * Long.BYTES;
        IntStream.range(0, whole.length).forEach(wrong -> {
            byte[] torn = whole.clone();
            torn[wrong] ^= 0x40;
            ClaimLog.Left left = new ClaimLog(HeapLog.of(torn)).read(claim -> {});
            int sound = wrong < first ? 0 : wrong < whole.length - 4 * Long.BYTES ? 2 : 3;
            assertThat(left.open()).as("with byte %d wrong", wrong).hasSize(sound);
        });
        IntStream.range(0, whole.length).forEach(length -> {
            ClaimLog.Left left = new ClaimLog(HeapLog.of(Arrays.copyOf(whole, length))).read(claim -> {});
            int sound = length < first ? 0 : length < whole.length - 4 * Long.BYTES ? 2 : 3;
            assertThat(left.open()).as("of %d bytes", length).hasSize(sound);
        });
    }

    private List<Long> numbers() throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(
                            file -> Long.parseLong(file.getFileName().toString().substring("fbf.log~".length())))
                    .sorted()
                    .toList();
        }
    }

    private static List<LoggedClaim> claims(int slot, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new LoggedClaim(
                        new Entry(i, new OperationId(slot, i), -3, 1, slot, 7, 100 + slot, 1_000),
                        i % 2 == 0 ? null : new OperationId(i, -1)))
                .toList();
    }
}
