package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFilesTest {

    /** A file is full after some of them. */
    private static final int LARGE = 30_000;

    @TempDir
    private Path directory;

    /** The machine's uptime. */
    private long now = 1_000_000;

    @Test
    void whatIsForcedIsReadBackInItsOrderThoughItTakesSeveralFiles() throws Exception {
        List<Entry> written = new ArrayList<>();
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            for (int i = 0; i < 9; i++) {
                List<Entry> claims = claims(i, LARGE);
                log.begun(claims);
                log.ended(1, i, 100 + i, 1_000);
                written.addAll(claims);
                if (i % 3 == 2) {
                    files.force();
                }
            }
        }
        assertThat(numbers()).hasSizeGreaterThan(2);

        List<Entry> read = new ArrayList<>();
        try (LogFiles next = files(1)) {
            assertThat(new ClaimLog(next).read(read::add).open()).isEmpty();
        }
        assertThat(read).isEqualTo(written);
    }

    @Test
    void whatIsNotForcedSurvivesTheProcess() {
        LogFiles files = files(1); // never closed
        ClaimLog log = new ClaimLog(files);
        log.opened(1, 2, 9);
        log.begun(claims(0, 3));

        try (LogFiles next = files(1)) {
            assertThat(new ClaimLog(next).read(claim -> {}).open()).isEqualTo(claims(0, 3));
        }
        files.close();
    }

    /** The page cache also gives a reader bytes that the disk lacks. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void forcesAllThatWasAppendedThroughADescriptorThatWaitsForTheDisk() throws Exception {
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            log.begun(claims(0, 3));
            List<Descriptor> before = descriptors();
            assertThat(before).extracting(Descriptor::waitsForDisk).containsExactlyInAnyOrder(true, false);
            assertThat(position(before, true)).as("before it is forced").isLessThan(position(before, false));

            files.force();

            assertThat(position(descriptors(), true)).isEqualTo(position(before, false));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void closesItsFilesWhenTheyAreFullAndForcedOrItIsClosed() throws Exception {
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            for (int i = 0; i < 9; i++) {
                log.begun(claims(i, LARGE));
            }
            assertThat(descriptors()).hasSizeGreaterThan(4);
            files.force();
            files.force();
            assertThat(descriptors()).as("of the current file").hasSize(2);
            fillAFile(log);
            fillAFile(log);
            assertThat(descriptors()).hasSizeGreaterThan(4);
        }
        assertThat(descriptors()).isEmpty();
    }

    /** How far a descriptor of a file of the log was written, and whether its writes wait for the disk. */
    private record Descriptor(long position, boolean waitsForDisk) {

        private static final long O_DSYNC = 010_000;

        static Descriptor of(Path descriptor) throws IOException {
            Properties info = new Properties();
            try (Reader reader =
                    Files.newBufferedReader(Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName()))) {
                info.load(reader);
            }
            long flags = Long.parseLong(info.getProperty("flags"), 8);
            return new Descriptor(Long.parseLong(info.getProperty("pos")), (flags & O_DSYNC) != 0);
        }
    }

    private List<Descriptor> descriptors() throws IOException {
        List<Descriptor> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : all) {
                try {
                    if (Files.readSymbolicLink(descriptor).startsWith(directory.toRealPath())) {
                        found.add(Descriptor.of(descriptor));
                    }
                } catch (NoSuchFileException e) {
                    // closed meanwhile: it was another one's
                }
            }
        }
        return found;
    }

    private static long position(List<Descriptor> descriptors, boolean waitsForDisk) {
        return descriptors.stream()
                .filter(descriptor -> descriptor.waitsForDisk == waitsForDisk)
                .mapToLong(Descriptor::position)
                .sum();
    }

    @Test
    void oneWhoseThreadIsInterruptedIsWrittenAllTheSame() {
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            Thread.currentThread().interrupt();
            log.begun(claims(0, 1));
            files.force();
            assertThat(Thread.interrupted()).isTrue();
            log.begun(claims(1, 1));
            files.force();
        }
        try (LogFiles next = files(1)) {
            assertThat(new ClaimLog(next).read(claim -> {}).open()).hasSize(2);
        }
    }

    @Test
    void filesAreDeletedWhenAllTheyHaveWasKeptForLongEnough() throws Exception {
        for (int process = 0; process < 3; process++) {
            run(1);
            now += 1_000;
        }
        try (LogFiles files = files(1)) {
            files.keepFor(
                    1_500); // the first file was written for a second at most, and the third began two seconds ago
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            fillAFile(log);

            assertThat(numbers()).doesNotContain(1L).contains(2L, 3L);
            assertThat(log.read(claim -> {}).open())
                    .as("of the files that are left")
                    .isEmpty();
        }
    }

    /** As after a forward step of the wall clock, and after one back. */
    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, 86_400_000})
    void filesOfEarlierProcessesStayHoweverTheWallClockIsSet(long step) throws Exception {
        run(1);
        now += 80_000;
        run(1);
        for (long number : numbers()) {
            Files.setLastModifiedTime(
                    directory.resolve("fbf.log~" + number), FileTime.fromMillis(System.currentTimeMillis() + step));
        }
        try (LogFiles files = files(1)) {
            files.keepFor(180_000);
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            fillAFile(log);
            assertThat(numbers()).contains(1L, 2L);

            now += 100_001; // since the second file began, 100 s
            fillAFile(log);
            assertThat(numbers()).contains(1L, 2L);

            now += 80_000;
            fillAFile(log);
            assertThat(numbers()).doesNotContain(1L, 2L);
        }
    }

    /** A file of an earlier boot is as old as the boots after it at least. */
    @Test
    void filesOfEarlierBootsAreDeletedByTheUptimesOfTheLaterOnes() throws Exception {
        run(1);
        now = 60_000;
        run(2);
        now = 50_000;
        try (LogFiles files = files(3)) {
            files.keepFor(100_000);
            ClaimLog log = new ClaimLog(files);
            log.opened(3, 2, 9);
            fillAFile(log);
            assertThat(numbers()).as("110 s and 50 s").doesNotContain(1L).contains(2L);
        }
    }

    /** Where the operating system does not tell its boot, uptimes of two processes cannot be compared. */
    @Test
    void filesOfEarlierProcessesAgeWithThisOneWhereTheBootIsNotKnown() throws Exception {
        run(0);
        now += 1_000_000;
        run(0);
        try (LogFiles files = files(0)) {
            files.keepFor(1_000);
            ClaimLog log = new ClaimLog(files);
            log.opened(0, 2, 9);
            fillAFile(log);
            assertThat(numbers()).contains(1L, 2L);

            now += 1_001;
            fillAFile(log);
            assertThat(numbers()).doesNotContain(1L, 2L);
        }
    }

    /** A process that begins a file and ends. */
    private void run(long boot) {
        try (LogFiles files = files(boot)) {
            new ClaimLog(files).opened(boot, 2, 9);
        }
    }

    private static void fillAFile(ClaimLog log) {
        for (int i = 0; i < 4; i++) {
            log.begun(claims(0, LARGE));
        }
    }

    private LogFiles files(long boot) {
        return new LogFiles(directory, boot, () -> now);
    }

    /** Without it, the next process would take the claims in their file for those of its own start of the machine. */
    @Test
    void tellsWhenItWasWrittenThoughItsFirstFileIsGone() throws Exception {
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 9);
            log.begun(claims(0, LARGE));
            files.keepFor(1);
            for (int slot = 1; numbers().contains(1L); slot++) {
                now += 2;
                log.begun(claims(slot, LARGE));
                files.force();
            }
        }
        try (LogFiles next = files(1)) {
            ClaimLog.Left left = new ClaimLog(next).read(claim -> {});
            assertThat(left.boot()).isEqualTo(1);
            assertThat(left.number()).isEqualTo(2);
            assertThat(left.open()).isNotEmpty();
        }
    }

    @Test
    void goesOnAfterTheNextFileCouldNotBeMade() throws Exception {
        Path inTheWay = Files.createDirectory(directory.resolve("fbf.log~2.new"));
        List<Entry> committed = new ArrayList<>();
        int slot = 0;
        try (LogFiles files = files(1)) {
            ClaimLog log = new ClaimLog(files);
            log.opened(1, 2, 30);
            for (int count = LARGE; count > 0; count /= 2) { // until there is no room for the smallest
                while (begins(log, claims(slot, count))) {
                    committed.addAll(claims(slot, count));
                    slot++;
                }
            }
            for (int open = 0; open < slot; open++) {
                log.ended(1, open, 100 + open, 1_000);
            }
            files.force();
            assertThat(begins(log, claims(slot, 1))).as("begins without room").isFalse();

            Files.delete(inTheWay);
            assertThat(begins(log, claims(slot, 1))).as("begins with room").isTrue();
            files.force();
        }
        assertThat(numbers()).containsExactly(1L, 2L);
        assertThat(Files.size(directory.resolve("fbf.log~1")))
                .as("as long as it was made")
                .isEqualTo((4 << 20) + 30 * 32);
        List<Entry> read = new ArrayList<>();
        try (LogFiles next = files(1)) {
            assertThat(new ClaimLog(next).read(read::add).open()).isEqualTo(claims(slot, 1));
        }
        assertThat(read).isEqualTo(committed);
    }

    private static boolean begins(ClaimLog log, List<Entry> claims) {
        try {
            log.begun(claims);
            return true;
        } catch (StorageException e) {
            assertThat(e).hasMessageContaining("The log of the claims in ").hasMessageContaining("has free space");
            return false;
        }
    }

    @Test
    void readsUpToTheFirstWrongByteWhicheverThatIs() {
        HeapLog store = new HeapLog();
        ClaimLog log = new ClaimLog(store);
        log.begun(claims(0, 2));
        log.begun(claims(1, 1));
        log.ended(1, 0, 100, 2_000);
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

    @Test
    void rememberAnOperationFromItsCommitOnHoweverLongBeforeThatItWasLogged() {
        HeapLog store = new HeapLog();
        ClaimLog log = new ClaimLog(store);
        log.begun(claims(0, 2));
        log.ended(1, 0, 100, 2_000);

        List<Entry> committed = new ArrayList<>();
        new ClaimLog(store.afterDeath()).read(committed::add);

        assertThat(committed).extracting(Entry::claimedAt).containsExactly(2_000L, 2_000L);
    }

    private List<Long> numbers() throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(
                            file -> Long.parseLong(file.getFileName().toString().substring("fbf.log~".length())))
                    .sorted()
                    .toList();
        }
    }

    private static List<Entry> claims(int slot, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Entry(
                        i,
                        new OperationId(slot, i),
                        -3,
                        1,
                        slot,
                        7,
                        100 + slot,
                        1_000,
                        i % 2 == 0 ? null : new OperationId(i, -1)))
                .toList();
    }
}
