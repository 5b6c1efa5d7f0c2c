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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    private int copies;

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

    /** As one that is restored on another host: a machine that starts anew is no excuse for a clean end. */
    @Test
    void admitsNothingForAWindowIfItIsAnEarlierCopyNorDoTheNextProcessAndScopesThatAreOpenedLater() throws IOException {
        node.close();
        Path earlier = copy();
        open();
        renew();
        directory = earlier;
        AnotherBoot.of(directory);

        assertThat(reopen()).containsExactly(Older.FILTER, Older.CLAIMS);
        assertHoldsBack(views());
        assertHoldsBack(node.scope("later", PLAN));

        directory = copy();
        reopen();
        assertHoldsBack(views());
        assertHoldsBack(node.scope("first-opened-then", PLAN));
    }

    /** A disk that has failed loses the beat with the operations, though the machine was never down. */
    @ParameterizedTest(name = "the machine was down: {0}; seconds lost: {1}")
    @CsvSource({"true, 1, false", "true, 61, true", "false, 1, true"})
    void leavesItToThePolicyIfAPowerFailureCanHaveTakenItsLastSecondsAndAdmitsNothingElse(
            boolean wasDown, int seconds, boolean holdsBack) throws IOException {
        Path left = copy();
        renew();
        row = seconds == 1 ? row : Beat.of(Beat.number(row) + seconds, 1);
        Files.copy(directory.resolve("fbf.claims"), left.resolve("fbf.claims"), StandardCopyOption.REPLACE_EXISTING);
        if (wasDown) {
            AnotherBoot.of(left);
        }
        directory = left;

        assertThat(reopen().contains(Older.FILTER)).isEqualTo(holdsBack);

        assertThat(views().heldBackFor().isZero()).isNotEqualTo(holdsBack);
        assertThat(views().filter().incompleteFor().isZero()).isNotEqualTo(wasDown);
    }

    /** Two files: the filter has grown. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"views~1.fbf, FILTER", "views~2.fbf, FILTER", "fbf.claims, CLAIMS"})
    void admitsNothingForAWindowIfOneFileIsOlder(String file, Older older) throws IOException {
        plan = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        reopen();
        Path earlier = copy();
        renew();
        node.close();
        Files.copy(earlier.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);

        assertThat(open()).containsExactly(older);

        assertHoldsBack(views());
        assertThat(node.scope("likes", plan).heldBackFor().isZero())
                .as("scopes share the claims")
                .isEqualTo(older == Older.FILTER);
    }

    @Test
    void admitsNothingForAWindowIfTheOlderFileOfAFilterIsMissing() throws IOException {
        OperationId first = apply();
        plan = new FilterSizing(20, Duration.ofSeconds(50), 1e-9).plan();
        reopen();
        assertThat(views().admit(first, null)).as("nothing is missing").isEqualTo(Refusal.APPLIED);

        node.close();
        Files.delete(directory.resolve("views~1.fbf"));
        open();

        assertHoldsBack(views());
        assertThat(reopen()).isEmpty();
        assertHoldsBack(views());
    }

    @Test
    void admitsNothingMoreWhenTheFilterIsOverwrittenWhileItIsOpen() throws IOException {
        Path earlier = copy();
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
        Files.delete(directory.resolve(file));

        assertThatExceptionOfType(StorageException.class).isThrownBy(this::renew);

        assertThat(views().admit(new OperationId(1, 1), null)).isEqualTo(Refusal.FAILED);
        assertThat(node.failure()).hasMessageContaining("the file was deleted or moved while it was in use");
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

    private static void assertHoldsBack(ScopeClaims scope) {
        assertThat(scope.admit(new OperationId(1, 1), null)).isEqualTo(Refusal.HELD_BACK);
        assertThat(scope.heldBackFor())
                .isPositive()
                .isLessThanOrEqualTo(scope.filter().plan().window().plusMillis(1));
    }

    private ScopeClaims views() {
        return node.scope("views", plan);
    }

    private OperationId apply() {
        Claim claim = (Claim) views().admit(new OperationId(7, 7), null);
        WitnessedTransaction transaction = node.database("main").transaction(claim);
        assertThat(witness.commit(transaction)).isTrue();
        transaction.committed();
        return claim.id();
    }

    private Path copy() throws IOException {
        Path copy = temporary.resolve("copy " + ++copies);
        KilledProcess.leave(directory, copy);
        return copy;
    }

    private Set<Older> reopen() {
        node.close();
        return open();
    }

    private Set<Older> open() {
        node = NodeLives.open(directory, SLOTS);
        WitnessedDatabase database = node.database("main");
        database.setTokens(database.tokens(), witness.tokens());
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
