package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.AnotherBoot;
import dev.fbf.core.filter.KilledProcess;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Beat.Older;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that is not as its node has left it, beside a row of a scope that is, or the other way round. */
class OlderDirectoryTest {

    private static final int SLOTS = 3;

    @TempDir
    private Path temporary;

    private final FakeDatabase witness = new FakeDatabase();

    /** The scope's beat in its database. */
    private long row = Beat.NONE;

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
        renew();
        OperationId second = apply();

        assertThat(openAfter(end)).isEmpty();

        assertThat(views().heldBackFor()).isZero();
        assertThat(views().admit(first)).isEqualTo(Refusal.APPLIED);
        assertThat(views().admit(second)).isEqualTo(Refusal.APPLIED);
        apply();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(End.class)
    void admitsNothingForAWindowIfItIsAnEarlierCopyOfItself(End end) throws IOException {
        Path earlier = copy(end);
        renew();

        directory = earlier;
        assertThat(reopen()).containsExactly(Older.FILTER, Older.CLAIMS);

        assertHoldsBack(views());
    }

    @Test
    void admitsNothingIfItIsAnEarlierCopyFromAnotherHost() throws IOException {
        Path earlier = copy(End.CLOSED);
        renew();

        directory = earlier;
        AnotherBoot.of(directory);

        assertThat(reopen()).contains(Older.FILTER);
        assertHoldsBack(views());
    }

    @Test
    void leavesItToThePolicyIfAPowerFailureTookItsLastSeconds() throws IOException {
        Path left = copy(End.KILLED);
        renew();
        AnotherBoot.of(left);
        Files.copy(directory.resolve("fbf.claims"), left.resolve("fbf.claims"), StandardCopyOption.REPLACE_EXISTING);
        directory = left;

        assertThat(reopen()).isEmpty();

        assertThat(views().heldBackFor()).isZero();
        assertThat(views().filter().incompleteFor()).isPositive();
    }

    @Test
    void admitsNothingIfAPowerFailureCannotHaveTakenAsMuch() throws IOException {
        Path left = copy(End.KILLED);
        row = Beat.of(Beat.number(row) + 61, 1);
        AnotherBoot.of(left);
        directory = left;

        assertThat(reopen()).contains(Older.FILTER);
        assertHoldsBack(views());
    }

    /** A disk that has failed loses the beat with the operations, though the machine was never down. */
    @Test
    void admitsNothingIfItsDiskHasLostTheLastSeconds() throws IOException {
        Path left = copy(End.KILLED);
        renew();
        Files.copy(directory.resolve("fbf.claims"), left.resolve("fbf.claims"), StandardCopyOption.REPLACE_EXISTING);
        directory = left;

        assertThat(reopen()).containsExactly(Older.FILTER);
        assertHoldsBack(views());
    }

    @Test
    void holdsBackScopesThatAreOpenedLaterAndInTheNextProcess() throws IOException {
        Path earlier = copy(End.CLOSED);
        renew();
        directory = earlier;
        reopen();

        assertHoldsBack(node.scope("later", PLAN));
        openAfter(End.KILLED);

        assertHoldsBack(views());
        assertHoldsBack(node.scope("first-opened-then", PLAN));
    }

    @Test
    void holdsBackOneScopeIfItsFileIsOlder() throws IOException {
        Path earlier = copy(End.CLOSED);
        renew();

        node.close();
        replace("views~1.fbf", earlier);

        assertThat(open()).containsExactly(Older.FILTER);
        assertHoldsBack(views());
        assertThat(node.scope("likes", plan).heldBackFor()).isZero();
    }

    @Test
    void holdsBackAllScopesIfTheFileOfTheClaimsIsOlder() throws IOException {
        Path earlier = copy(End.CLOSED);
        renew();

        node.close();
        replace("fbf.claims", earlier);

        assertThat(open()).containsExactly(Older.CLAIMS);
        assertHoldsBack(views());
        assertHoldsBack(node.scope("likes", plan));
    }

    @Test
    void admitsNothingForAWindowIfTheFilesOfAFilterAreMissing() throws IOException {
        apply();
        node.close();
        Files.delete(directory.resolve("views~1.fbf"));

        assertThat(open()).containsExactly(Older.FILTER);

        assertHoldsBack(views());
        assertThat(openAfter(End.KILLED)).isEmpty();
        assertHoldsBack(views());
    }

    @Test
    void admitsNothingMoreWhenTheFilterIsOverwrittenWhileItIsOpen() throws IOException {
        Path earlier = copy(End.KILLED);
        renew();
        byte[] bytes = Files.readAllBytes(earlier.resolve("views~1.fbf"));
        Files.write(directory.resolve("views~1.fbf"), bytes, StandardOpenOption.WRITE);

        assertThat(views().beat().expected()).as("no renewal").doesNotContain(row);
        assertThat(register()).containsExactly(Older.FILTER);

        assertHoldsBack(views());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"fbf.claims", "fbf.lock"})
    void admitsNothingMoreWhenAFileIsDeletedWhileItIsInUse(String file) throws IOException {
        apply();
        delete(file);

        assertThatExceptionOfType(StorageException.class).isThrownBy(this::renew);

        assertThat(views().admit(id())).isEqualTo(Refusal.FAILED);
        assertThat(node.failure()).hasMessageContaining("the file was deleted or moved while it was in use");
    }

    /** The next sample of the filter notices it, after some milliseconds. */
    @Test
    @Timeout(20)
    void admitsNothingMoreWhenTheFileOfAFilterIsDeletedWhileItIsInUse() throws IOException {
        ScopeClaims likes = node.scope("likes", new FilterSizing(10, Duration.ofSeconds(1), 1e-3).plan());
        delete("likes~1.fbf");

        while (likes.admit(id()) != Refusal.FAILED && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        assertThat(node.failure()).hasMessageContaining("the file was deleted or moved while it was in use");
    }

    /** Two files: the filter has grown. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(End.class)
    void admitsNothingForAWindowIfTheOlderFileOfAFilterIsMissing(End end) throws IOException {
        OperationId first = apply();
        plan = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        reopen();
        apply();
        assertThat(openAfter(end)).isEmpty();
        assertThat(views().admit(first)).as("nothing is missing").isEqualTo(Refusal.APPLIED);

        node.close();
        delete("views~1.fbf");
        open();

        assertHoldsBack(views());
        assertThat(reopen()).isEmpty();
        assertHoldsBack(views());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"views~1.fbf", "views~2.fbf"})
    void admitsNothingForAWindowIfOneOfTheFilesOfAFilterIsOlder(String file) throws IOException {
        plan = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        reopen();
        Path earlier = copy(End.CLOSED);
        renew();

        node.close();
        replace(file, earlier);

        assertThat(open()).containsExactly(Older.FILTER);
        assertHoldsBack(views());
    }

    @Test
    void isNotToBlameIfTheDatabaseIsOlder() {
        long earlier = row;
        renew();
        node.close();
        row = earlier;

        assertThat(open()).containsExactly(Older.DATABASE);

        assertThat(views().heldBackFor()).isZero();
        assertThat(views().lostCommits()).isNotNull();
        assertThat(reopen()).isEmpty();
        assertThat(views().lostCommits()).as("at the next start").isNotNull();
        views().acceptLostCommits();
        reopen();
        assertThat(views().lostCommits()).as("after it was accepted").isNull();
    }

    @Test
    void isOfAnotherDatabaseIfThereIsNoRow() {
        apply();
        node.close();
        row = Beat.NONE;

        assertThat(open()).containsExactly(Older.DATABASE);
        assertThat(views().lostCommits()).isNotNull();
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
        database().setTokens(database().tokens(), witness.tokens());
        return register();
    }

    /** As a registration in {@code fbf_lease} does. */
    private Set<Older> register() {
        Beat beat = views().beat();
        Set<Older> older = beat.compare(row, row != Beat.NONE);
        beat.note(older);
        row = beat.intend(row);
        beat.confirm(row);
        return older;
    }

    private void renew() {
        Beat beat = views().beat();
        assertThat(beat.expected()).containsExactly(row);
        row = beat.intend(row);
        beat.confirm(row);
    }
}
