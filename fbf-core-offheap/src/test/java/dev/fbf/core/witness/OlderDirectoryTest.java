package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.AnotherBoot;
import dev.fbf.core.filter.KilledProcess;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.WitnessedDatabase.Older;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that is not as its node has left it, beside a database that is. */
class OlderDirectoryTest {

    private static final int SLOTS = 3;

    @TempDir
    private Path temporary;

    private final FakeDatabase witness = new FakeDatabase();
    private Path directory;
    private FilterPlan plan = PLAN;
    private Node node;
    private int operations;

    @BeforeEach
    void begin() {
        directory = temporary.resolve("fbf");
        for (int slot = 0; slot < SLOTS; slot++) {
            witness.setToken(slot, WitnessedDatabase.NO_TOKEN);
        }
        open();
    }

    @AfterEach
    void close() {
        node.close();
    }

    private enum End {
        KILLED,
        CLOSED
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(End.class)
    void admitsWhatItDoesNotKnowAndNothingElseAfterAnEndInWhichNothingWasLost(End end) throws IOException {
        OperationId first = apply();
        OperationId second = apply();
        withdrawAndRollBack();

        Set<Older> older = openAfter(end);

        assertThat(older).isEmpty();
        assertThat(views().heldBackFor()).isZero();
        assertThat(views().admit(first)).isEqualTo(Refusal.APPLIED);
        assertThat(views().admit(second)).isEqualTo(Refusal.APPLIED);
        apply();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(End.class)
    void admitsNothingForAWindowIfItIsAnEarlierCopyOfItself(End end) throws IOException {
        apply();
        Path earlier = copy(end);
        apply();

        directory = earlier;
        assertThat(reopen()).containsExactly(Older.DIRECTORY);

        assertHoldsBack(views());
    }

    @Test
    void admitsNothingIfItIsAnEarlierCopyFromAnotherHost() throws IOException {
        apply();
        Path earlier = copy(End.CLOSED);
        apply();

        directory = earlier;
        AnotherBoot.of(directory);

        assertThat(reopen()).containsExactly(Older.DIRECTORY);
        assertHoldsBack(views());
    }

    @Test
    void leavesItToThePolicyIfAPowerFailureTookItsLastSeconds() throws IOException {
        apply();
        Path earlier = copy(End.KILLED);
        apply();

        directory = earlier;
        AnotherBoot.of(directory);

        assertThat(reopen()).isEmpty();
        assertThat(views().heldBackFor()).isZero();
        openAfter(End.KILLED);
        assertThat(views().heldBackFor()).as("at the next start").isZero();
        apply();
    }

    @Test
    void holdsBackScopesThatAreOpenedLaterAndInTheNextProcess() throws IOException {
        Path earlier = copy(End.CLOSED);
        apply();
        directory = earlier;
        reopen();

        assertHoldsBack(node.scope("later", PLAN));
        openAfter(End.KILLED);

        assertHoldsBack(views());
        assertHoldsBack(node.scope("first-opened-then", PLAN));
    }

    /** What was in doubt in the copy has ended since, and must not wait for an operator. */
    @Test
    void forgetsWhatWasInDoubtInAnEarlierCopy() throws IOException {
        WitnessedTransaction open = begin(claim());
        Path earlier = copy(End.KILLED);
        witness.commit(open);
        open.committed();
        for (int slot = 0; slot < SLOTS; slot++) {
            apply();
        }
        node.close();
        directory = earlier;
        node = NodeLives.open(directory, SLOTS);
        views();

        WitnessedTransaction left = database().settleable().iterator().next();
        assertThat(database().endIfBehind(left, left.next())).isFalse();
        assertThat(views().heldBackFor()).isZero();
        assertThat(database().endIfBehind(left, witness.token(left.slot()))).isTrue();
        assertThat(database().endIfBehind(left, witness.token(left.slot())))
                .as("again")
                .isFalse();

        assertThat(database().settleable()).isEmpty();
        assertHoldsBack(views());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"views~1.fbf", "fbf.claims", "fbf.tokens~*"})
    void admitsNothingForAWindowIfOneFileIsOlder(String file) throws IOException {
        apply();
        Path earlier = copy(End.CLOSED);
        for (int slot = 0; slot < SLOTS; slot++) {
            apply();
        }

        node.close();
        replace(file, earlier);
        reopen();

        assertHoldsBack(views());
    }

    @Test
    void admitsNothingForAWindowIfTheFilesOfAFilterAreMissing() throws IOException {
        apply();
        node.close();
        Files.delete(directory.resolve("views~1.fbf"));

        reopen();

        assertHoldsBack(views());
        openAfter(End.KILLED);
        assertHoldsBack(views());
    }

    @Test
    void holdsBackAScopeThatTheNextProcessOpensBeforeTheDatabase() throws IOException {
        Path earlier = copy(End.CLOSED);
        apply();
        directory = earlier;
        reopen();
        node.close();

        node = NodeLives.open(directory, SLOTS);
        ScopeClaims other = node.scope("other", plan);
        database();

        assertHoldsBack(other);
    }

    @Test
    void admitsNothingMoreWhenTheFilterIsOverwrittenWhileItIsOpen() throws IOException {
        apply();
        Path file = directory.resolve("views~1.fbf");
        int header = 512 * Long.BYTES;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate((int) channel.size() - header), header);
        }

        node.watch();

        assertHoldsBack(views());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"fbf.claims", "fbf.tokens~*", "fbf.lock"})
    void admitsNothingMoreWhenAFileIsDeletedWhileItIsInUse(String file) throws IOException {
        apply();
        delete(file);

        node.watch();

        assertThat(views().admit(id())).isEqualTo(Refusal.FAILED);
        assertThat(node.failure()).hasMessageContaining("the file was deleted or moved while it was in use");
    }

    /** The next sample of the filter notices it, after some milliseconds. */
    @Test
    @Timeout(20)
    void admitsNothingMoreWhenTheFileOfAFilterIsDeletedWhileItIsInUse() throws IOException {
        ScopeClaims likes = node.scope("likes", new FilterSizing(10, Duration.ofSeconds(1), 1e-3).plan());
        delete("likes~1.fbf");

        while (node.failure() == null && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        assertThat(likes.admit(id())).isEqualTo(Refusal.FAILED);
    }

    /** More operations than there are claims came after the operation that was put into the older file. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(End.class)
    void admitsNothingForAWindowIfTheOlderFileOfAFilterIsMissing(End end) throws IOException {
        OperationId first = apply();
        plan = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        reopen();
        for (int slot = 0; slot <= SLOTS; slot++) {
            apply();
        }
        openAfter(end);
        assertThat(views().admit(first)).as("nothing is missing").isEqualTo(Refusal.APPLIED);

        node.close();
        delete("views~1.fbf");
        open();

        assertHoldsBack(views());
        assertThat(reopen()).isEmpty();
        assertHoldsBack(views());
    }

    @Test
    void findsNothingWhileItIsAsItShouldBe() {
        apply();
        withdrawAndRollBack();
        claim();

        node.watch();

        assertThat(views().heldBackFor()).isZero();
        assertThat(node.isStopped()).isFalse();
    }

    @Test
    void isNotToBlameIfTheDatabaseIsOlder() {
        apply();
        Map<Integer, Long> before = witness.tokens();
        apply();
        before.forEach(witness::setToken);

        assertThat(compare()).containsExactly(Older.DATABASE);
        assertThat(views().heldBackFor()).isZero();
        assertThat(reopen()).isEmpty();
        assertThat(views().heldBackFor()).as("at the next start").isZero();
    }

    /** The claims name the operation as the slot's last one, until the row is read. */
    @Test
    void isNotToBlameIfItLacksTheTokenOfACommitThatTheDatabaseLost() throws IOException {
        WitnessedTransaction transaction = begin(claim());
        Path earlier = copy(End.KILLED);
        transaction.committed();
        node.close();
        replace("fbf.tokens~*", earlier);

        assertThat(reopen()).isEmpty();
        assertThat(views().heldBackFor()).isZero();
        assertThat(reopen()).isEmpty();
        assertThat(views().heldBackFor()).as("at the next start").isZero();
    }

    @Test
    void isOlderAndSoIsTheDatabaseIfEachLacksSomething() throws IOException {
        apply();
        Path earlier = copy(End.CLOSED);
        apply();
        apply();
        directory = earlier;
        witness.setToken(0, WitnessedDatabase.NO_TOKEN);

        assertThat(reopen()).containsExactlyInAnyOrder(Older.DATABASE, Older.DIRECTORY);
    }

    private void assertHoldsBack(ScopeClaims scope) {
        assertThat(scope.admit(id())).isEqualTo(Refusal.HELD_BACK);
        assertThat(scope.heldBackFor())
                .isPositive()
                .isLessThanOrEqualTo(scope.filter().plan().window().plusMillis(1));
    }

    private ScopeClaims views() {
        return node.scope("views", plan);
    }

    private void delete(String file) throws IOException {
        for (Path each : files(directory, file)) {
            Files.delete(each);
        }
    }

    private void replace(String file, Path from) throws IOException {
        for (Path each : files(from, file)) {
            Files.copy(each, directory.resolve(each.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static List<Path> files(Path directory, String name) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, name)) {
            List<Path> found = new ArrayList<>();
            files.forEach(found::add);
            assertThat(found).isNotEmpty();
            return found;
        }
    }

    private WitnessedDatabase database() {
        return node.database("main");
    }

    private OperationId apply() {
        Claim claim = claim();
        WitnessedTransaction transaction = begin(claim);
        assertThat(witness.commit(transaction)).isTrue();
        transaction.committed();
        return claim.id();
    }

    private void withdrawAndRollBack() {
        begin(claim()).withdraw().forEach(Claim::free);
        begin(claim()).rolledBack();
    }

    private WitnessedTransaction begin(Claim claim) {
        return database().transaction(claim);
    }

    private Claim claim() {
        return (Claim) views().admit(id());
    }

    private OperationId id() {
        return new OperationId(++operations, 7);
    }

    private Path copy(End end) throws IOException {
        if (end == End.CLOSED) {
            node.close();
        }
        Path copy = temporary.resolve("copy " + operations);
        KilledProcess.leave(directory, copy);
        if (end == End.CLOSED) {
            open();
        }
        return copy;
    }

    private Set<Older> openAfter(End end) throws IOException {
        if (end == End.KILLED) {
            directory = copy(end);
        }
        return reopen();
    }

    private Set<Older> reopen() {
        node.close();
        return open();
    }

    private Set<Older> open() {
        node = NodeLives.open(directory, SLOTS);
        views();
        Set<Older> older = compare();
        database().setTokens(witness.tokens());
        return older;
    }

    private Set<Older> compare() {
        Map<Integer, Long> known = database().tokens();
        Map<Integer, Long> rows = new HashMap<>(witness.tokens());
        rows.keySet().retainAll(database().differing(known, rows));
        return database().disagree(known, rows);
    }
}
