package dev.fbf.core.filter;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.AfterPowerFailure;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and directories that may not be used, and disks that are full: in processes that may do less than this one. */
class FaultyDiskTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final FilterPlan OF_MEGABYTES = FilterSizing.DEFAULT.plan();
    private static final int PAGE = 4096;
    private static final FilterPlan OF_ONE_SIZE = PLAN.partOf(PLAN.stated(), false);
    private static final String TWO_MINUTES = "two minutes";
    private static final OperationId OPERATION = new OperationId(1, 2);
    private static final OperationId OTHER = new OperationId(3, 4);

    @TempDir
    private Path temporary;

    /** Runs a method of this class in a process of its own. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        FaultyDiskTest.class.getDeclaredMethod(arguments[0], Path.class).invoke(null, Path.of(arguments[1]));
    }

    @Test
    void namesADirectoryThatCannotBeMade() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));

        assertDirectoryRefused(file.resolve("sub"));
        assertThat(file).isEmptyFile();
    }

    @Test
    void refusesAFileThatNoDiskHasRoomFor() throws IOException {
        FilterPlan vast = new FilterSizing(10_000_000, Duration.ofDays(30), 1e-4).plan();
        assertRefused(temporary, "views", vast)
                .contains("needs")
                .contains("the disk has")
                .contains("fewer expected operations per second");
        assertThat(DirectoryContents.of(temporary)).containsOnlyKeys("");
    }

    @Test
    void doesNotBlameTheDiskForAFileThatCannotBeWrittenForAnotherReason() throws IOException {
        Path inTheWay = Files.createDirectory(temporary.resolve("views~1.fbf.new"));
        assertRefused(temporary, "views", PLAN)
                .contains("The filter's file " + temporary.resolve("views~1.fbf") + " cannot be created: ")
                .contains(inTheWay + ": Is a directory");
        assertThat(inTheWay).isEmptyDirectory();
    }

    @Test
    void refusesWhatItHasNoPermissionFor() throws Exception {
        List<String> unprivileged = ChildJvm.isRoot()
                ? List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search")
                : List.of("env");
        assumeTrue(ChildJvm.canRun(unprivileged), "permissions do not bind root, and there is no setpriv");
        for (String name : List.of("unwritable", "unlistable", "unreadable", "read-only")) {
            makeFilter(temporary.resolve(name));
        }
        Files.createDirectory(temporary.resolve("new"));
        Map<String, ByteBuffer> before = DirectoryContents.of(temporary);

        permit("r-x------", "new");
        permit("r-x------", "unwritable");
        permit("-wx------", "unlistable");
        permit("---------", "unreadable/views~1.fbf");
        permit("r--------", "read-only/views~1.fbf");
        try {
            ChildJvm.run(unprivileged, FaultyDiskTest.class, "withoutPermission", temporary);
        } finally {
            permit("rwx------", "new");
            permit("rwx------", "unwritable");
            permit("rwx------", "unlistable");
            permit("rwx------", "unreadable/views~1.fbf");
        }
        assertThat(DirectoryContents.of(temporary)).isEqualTo(before);
    }

    private void permit(String permissions, String path) throws IOException {
        Files.setPosixFilePermissions(temporary.resolve(path), fromString(permissions));
    }

    static void withoutPermission(Path temporary) {
        Path unwritable = temporary.resolve("unwritable");

        assertDirectoryRefused(temporary.resolve("new")).contains("AccessDeniedException");
        assertRefused(unwritable, "likes", PLAN)
                .contains("The filter's file " + unwritable.resolve("likes~1.fbf") + " cannot be created: ")
                .contains("AccessDeniedException")
                .contains("Check that this user may write a file of " + PLAN.bytes() + " bytes there");
        assertRefused(temporary.resolve("unlistable"), "views", PLAN)
                .contains("The files of scope views in " + temporary.resolve("unlistable") + " cannot be listed: ")
                .contains("AccessDeniedException")
                .contains("Check that this user may read the directory");
        for (String name : List.of("unreadable", "read-only")) {
            Path directory = temporary.resolve(name);
            assertRefused(directory, "views", PLAN)
                    .contains("The filter's file " + directory.resolve("views~1.fbf") + " cannot be used: ")
                    .contains("AccessDeniedException")
                    .contains("Check that this user may read and write it");
        }
    }

    @Test
    void makesNoFileThatTheDiskHasNoRoomFor() throws Exception {
        runOnDisk("1m", "tooLarge");
    }

    static void tooLarge(Path disk) throws IOException {
        Node.open(disk, 1, AfterPowerFailure.WARN).close();
        makeFilter(disk);
        Map<String, ByteBuffer> before = DirectoryContents.of(disk);
        for (String scope : List.of("likes", "views")) { // a new filter, and one that is asked for more than it was
            assertRefused(disk, scope, OF_MEGABYTES)
                    .contains("The filter's file " + disk.resolve(scope))
                    .contains(String.format("needs %,d bytes, and the disk has ", OF_MEGABYTES.bytes()))
                    .contains("Free some space, choose another directory, or reduce the requirements");
            assertThat(DirectoryContents.of(disk)).isEqualTo(before);
        }
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Node.open(disk, 100_000, AfterPowerFailure.WARN))
                .withMessageContaining("The file of the claims " + disk.resolve("fbf.claims") + " needs ")
                .withMessageContaining("Free some space, choose another directory, or allow fewer claims.");
        assertThat(DirectoryContents.of(disk)).isEqualTo(before);
    }

    @Test
    void saysThatTheDiskIsFullWhereItIsFullBeforeTheStart() throws Exception {
        runOnDisk("1m", "fullBeforeTheStart");
    }

    static void fullBeforeTheStart(Path disk) {
        fill(disk);
        for (Path directory : List.of(disk, disk.resolve("new"))) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> FilterStore.open(directory))
                    .withMessageContaining("The directory " + directory + " cannot be created or written to: ")
                    .withMessageContaining("free some space if the disk is full");
        }
    }

    @Test
    void takesTheSpaceOfWhatACrashLeftUnfinished() throws Exception {
        runOnDisk("1m", "afterACrash");
    }

    static void afterACrash(Path disk) throws IOException {
        Files.write(disk.resolve("views~1.fbf.new"), new byte[(int) ((1 << 20) - PLAN.bytes() / 2)]);
        makeFilter(disk);
        assertThat(DirectoryContents.of(disk)).containsOnlyKeys("", "views~1.fbf");
    }

    @Test
    void leavesNothingOfAFileThatCannotBeWrittenToItsEnd() throws Exception {
        List<String> limited = List.of("sh", "-c", "ulimit -f 2048 && exec \"$@\"", "sh");
        assumeTrue(ChildJvm.canRun(limited), "the size of files cannot be limited");
        ChildJvm.run(limited, FaultyDiskTest.class, "fileSizeLimit", temporary);
    }

    static void fileSizeLimit(Path directory) throws IOException {
        assertRefused(directory, "views", OF_MEGABYTES)
                .contains("The filter's file " + directory.resolve("views~1.fbf") + " cannot be created: ")
                .contains("File too large")
                .contains("Check that this user may write a file of " + OF_MEGABYTES.bytes() + " bytes there");
        assertThat(DirectoryContents.of(directory)).containsOnlyKeys("");
    }

    @Tag("slow")
    @Test
    void goesOnWithTheFirstArenaWhenThereIsNoRoomToGrow() throws Exception {
        String log = runOnDisk("1m", "noRoomToGrow");

        assertThat(log)
                .containsPattern("WARN .*The filter of scope views has about 1 false positive in \\d+ new"
                        + " operations, more than the stated 1 in 1000000000: The filter's file .*views~2.fbf needs [0-9,]+ bytes,"
                        + " and the disk has 0 to spare\\. Free some space.* No operation is forgotten\\.");
        assertThat(log.substring(log.indexOf(TWO_MINUTES)).lines())
                .filteredOn(line -> line.contains("Operations that it finds are refused"))
                .as("said each minute")
                .hasSize(3)
                .allMatch(line -> line.contains("about 1 false positive in 1 new operations"));
    }

    static void noRoomToGrow(Path disk) throws IOException {
        HandClock clock = new HandClock();
        long overfull = Math.round(PLAN.capacity() * 1.1);
        long overTarget = 100_000;
        try (FilterStore directory = FilterStore.open(disk, clock)) {
            AdaptiveFilter filter = directory.filter("views", PLAN);
            fill(disk);
            put(filter, 0, overfull);
            sample(filter, clock);
            assertThat(filter.stats().overTarget()).isFalse();
            put(filter, overfull, overTarget);
            sample(filter, clock);
            assertThat(filter.stats().overTarget()).isTrue();
            assertThat(filter.stats().arenas()).hasSize(1);
            assertHolds(filter, overTarget);
        }
        assertThat(DirectoryContents.of(disk)).containsOnlyKeys("", "ballast", "views~1.fbf");

        clock.advance(PLAN.window().minusSeconds(2));
        try (FilterStore directory = FilterStore.open(disk, clock)) {
            assertHolds(directory.filter("views", PLAN), overTarget);
        }
        staysOverTarget(disk, clock);
    }

    /** For two minutes and a little more. */
    private static void staysOverTarget(Path disk, HandClock clock) {
        System.out.println(TWO_MINUTES);
        try (FilterStore directory = FilterStore.open(disk, clock)) {
            AdaptiveFilter filter = directory.filter("views", PLAN);
            for (long second = 0; second <= 121; second++) {
                put(filter, second * 5_000, (second + 1) * 5_000);
                sample(filter, clock);
                assertThat(filter.isOverfull()).isTrue();
            }
        }
    }

    private static void put(ForgetfulBloomFilter filter, long first, long end) {
        for (long i = first; i < end; i++) {
            filter.put(new OperationId(i, i));
        }
    }

    private static void sample(AdaptiveFilter filter, HandClock clock) {
        clock.advance(Duration.ofSeconds(1));
        filter.maintain();
    }

    private static void assertHolds(ForgetfulBloomFilter filter, long end) {
        for (long i = 0; i < end; i++) {
            assertThat(filter.mightContain(new OperationId(i, i))).isTrue();
        }
    }

    @Tag("slow")
    @Test
    void appliesNothingFromTheStoreOnThatTheDiskHasNoRoomFor() throws Exception {
        runOnDisk("2m", "fullUnderMappedFiles");
    }

    /** Claims and filter are files with holes, as on a file system that takes a new block for each change. */
    static void fullUnderMappedFiles(Path disk) throws IOException {
        Map<Integer, Long> witness = Map.of();
        try (Node node = open(disk)) {
            compile(node.scope("likes", OF_ONE_SIZE).filter());
            ScopeClaims views = node.scope("views", OF_ONE_SIZE);
            WitnessedDatabase database = node.database("main");
            database.setTokens(database.tokens(), witness);
            WitnessedTransaction transaction = database.transaction((Claim) views.admit(OPERATION));
            Claim late = (Claim) views.admit(OTHER);
            transaction.beforeCommit();
            witness = Map.of(transaction.slot(), transaction.next());
            makeHoles(disk.resolve("views~1.fbf"));
            fill(disk);

            transaction.committed();

            assertThat(node.failure()).hasMessageStartingWith("A file of fbf failed, ");
            assertThat(views.admit(new OperationId(5, 6))).isEqualTo(Refusal.FAILED);
            WitnessedTransaction begun = database.transaction(late);
            assertThatExceptionOfType(StorageException.class).isThrownBy(begun::beforeCommit);
            begun.rolledBack();
        }
        Files.delete(disk.resolve("ballast"));

        try (Node next = open(disk)) {
            ScopeClaims views = next.scope("views", OF_ONE_SIZE);
            WitnessedDatabase database = next.database("main");
            database.setTokens(database.tokens(), witness);
            for (WitnessedTransaction left : database.settleable()) {
                boolean committed = witness.containsValue(left.next());
                assertThat(left.settled(committed, committed ? left.next() : ~left.next()))
                        .isTrue();
            }
            assertThat(views.admit(OPERATION)).isEqualTo(Refusal.APPLIED);
            for (int record = 0; record < PAGE / 64; record++) { // of the first page
                ((Claim) views.admit(OTHER)).free();
            }
            Claim claim = (Claim) views.admit(OTHER);
            makeHoles(disk.resolve("fbf.claims"));
            fill(disk);

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> database.transaction(claim))
                    .withMessageStartingWith(
                            "A file of fbf failed, " + disk.resolve("fbf.claims") + " or one beside it: ")
                    .withMessageContaining("Check the disk and its free space");
            assertThat(next.failure()).isNotNull();
        }
    }

    private static Node open(Path disk) {
        return Node.open(disk, 1_000, AfterPowerFailure.WARN);
    }

    /** The JVM survives a compare-and-set without effect in compiled code alone. */
    private static void compile(ForgetfulBloomFilter filter) {
        for (long i = 0; i < 30_000; i++) {
            filter.put(new OperationId(i, ~i));
        }
    }

    /** Behind the first page. */
    private static void makeHoles(Path file) throws IOException {
        try (RandomAccessFile all = new RandomAccessFile(file.toFile(), "rw")) {
            long length = all.length();
            all.setLength(PAGE);
            all.setLength(length);
        }
    }

    /** Runs it with a small disk that no other process sees, and that is gone when it ends. */
    private String runOnDisk(String size, String method) throws Exception {
        String mount = "mount -t tmpfs -o mode=700,size=" + size + " tmpfs '" + temporary + "' && exec \"$@\"";
        List<String> onDisk = List.of("unshare", ChildJvm.isRoot() ? "-m" : "-rm", "sh", "-c", mount, "sh");
        assumeTrue(ChildJvm.canRun(onDisk), "a disk cannot be mounted for a process of its own");
        String output = ChildJvm.run(onDisk, FaultyDiskTest.class, method, temporary);
        assertThat(temporary).isEmptyDirectory();
        return output;
    }

    private static void makeFilter(Path directory) {
        try (FilterStore filters = FilterStore.open(directory)) {
            filters.filter("views", PLAN).put(OPERATION);
        }
    }

    private static AbstractStringAssert<?> assertDirectoryRefused(Path directory) {
        StorageException refusal = catchThrowableOfType(StorageException.class, () -> FilterStore.open(directory));
        assertThat(refusal).isNotNull();
        return assertThat(refusal.getMessage())
                .contains("The directory " + directory + " cannot be created or written to: ")
                .endsWith(
                        "Give this user permission to write there, free some space if the disk is full, or choose another"
                                + " directory.");
    }

    private static AbstractStringAssert<?> assertRefused(Path directory, String scope, FilterPlan plan) {
        StorageException refusal = refusal(directory, scope, plan);
        assertThat(refusal).isNotNull();
        return assertThat(refusal.getMessage());
    }

    private static StorageException refusal(Path directory, String scope, FilterPlan plan) {
        try (FilterStore filters = FilterStore.open(directory)) {
            return catchThrowableOfType(StorageException.class, () -> filters.filter(scope, plan));
        }
    }

    /** Leaves no byte free. */
    @SuppressWarnings("EmptyCatch") // that is how it ends
    private static void fill(Path disk) {
        try (OutputStream ballast = Files.newOutputStream(disk.resolve("ballast"))) {
            for (; ; ) {
                ballast.write(new byte[PAGE]);
            }
        } catch (IOException full) {
            // as intended
        }
    }
}
