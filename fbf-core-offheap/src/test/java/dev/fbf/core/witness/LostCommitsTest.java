package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.filter.KilledProcess;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that forgets what a node has committed there. */
class LostCommitsTest {

    private static final UUID NODE = new UUID(1, 2);
    private static final Map<Integer, Long> EMPTY = Map.of(0, 0L, 1, 0L);

    @TempDir
    private Path temporary;

    private Path directory;
    private Node node;
    private ScopeClaims scope;
    private WitnessedDatabase database;

    @BeforeEach
    void begin() {
        directory = temporary.resolve("fbf");
        open();
        database.setTokens(EMPTY);
    }

    private void open() {
        node = Node.open(directory, 2, AfterPowerFailure.WARN);
        scope = node.scope("scope", FilterSizing.DEFAULT.plan());
        database = node.database("main");
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aSlotInUseShowsNothing() {
        WitnessedTransaction first = commit("a");
        WitnessedTransaction second = commit("b");
        WitnessedTransaction open = database.transaction(claim("c"));
        assertThat(open.slot()).isEqualTo(first.slot());

        assertThat(differing(EMPTY)).containsExactly(second.slot());
        open.inDoubt();
        assertThat(differing(EMPTY)).containsExactly(second.slot());
        assertThat(open.settled(false, ~open.next())).isTrue();
        assertThat(differing(Map.of(open.slot(), ~open.next(), second.slot(), second.next())))
                .isEmpty();
    }

    @Test
    void aTransactionThatBeganAndEndedSinceTheRowsWereReadShowsNothing() {
        WitnessedTransaction first = commit("a");
        Map<Integer, Long> known = database.tokens();
        commit("b");
        WitnessedTransaction third = commit("c");
        assertThat(third.slot()).isEqualTo(first.slot());

        for (WitnessedTransaction read : List.of(first, third)) {
            assertThat(database.differing(known, Map.of(first.slot(), read.next())))
                    .isEmpty();
        }
    }

    @Test
    void aRolledBackOrWithdrawnTransactionLeavesTheTokenThatIsKnown() {
        WitnessedTransaction first = commit("a");
        commit("b");
        WitnessedTransaction rolledBack = database.transaction(claim("c"));
        assertThat(rolledBack.slot()).isEqualTo(first.slot());
        rolledBack.rolledBack();
        commit("d");
        WitnessedTransaction withdrawn = database.transaction(claim("e"));
        assertThat(withdrawn.slot()).isEqualTo(first.slot());
        withdrawn.withdraw().forEach(Claim::free);

        assertThat(database.tokens()).containsEntry(first.slot(), first.next());
    }

    @Test
    void whatIsLostIsCountedUntilItIsAccepted() {
        WitnessedTransaction first = commit("a");
        WitnessedTransaction second = commit("b");

        database.disagree(database.tokens(), EMPTY);
        database.disagree(database.tokens(), Map.of(first.slot(), 0L));

        assertThat(database.lostCommits()).extracting(LostCommits::slots).isEqualTo(2);
        assertThat(commit("c").previous()).isZero();
        assertThat(second.isCommitted()).isTrue();
        database.acceptLostCommits();
        assertThat(database.lostCommits()).isNull();
    }

    @Test
    void theNextProcessKnowsTheTokensAndWhatWasLost() {
        WitnessedTransaction first = commit("a");
        WitnessedTransaction second = commit("b");
        database.disagree(database.tokens(), Map.of(first.slot(), 77L));

        node.close();
        open();

        assertThat(database.tokens()).containsEntry(first.slot(), 77L).containsEntry(second.slot(), second.next());
        assertThat(database.lostCommits()).extracting(LostCommits::slots).isEqualTo(1);

        database.acceptLostCommits();
        node.close();
        open();
        assertThat(database.lostCommits()).as("after they were accepted").isNull();
    }

    @Test
    void theNextProcessDoesNotKnowTheTokenOfATransactionThatWasOpen() throws IOException {
        WitnessedTransaction first = commit("a");
        commit("b");
        WitnessedTransaction open = database.transaction(claim("c"));
        assertThat(open.slot()).isEqualTo(first.slot());

        Path copy = temporary.resolve("copy");
        KilledProcess.leave(directory, copy);
        open.rolledBack();
        node.close();
        directory = copy;
        open();
        database.setTokens(Map.of(open.slot(), open.next()));

        assertThat(database.tokens()).doesNotContainKey(open.slot());
    }

    @Test
    void moreSlotsAreAddedToThoseThatAreKnown() {
        WitnessedTransaction first = commit("a");
        WitnessedTransaction second = commit("b");
        database.disagree(database.tokens(), Map.of(second.slot(), 77L));

        node.close();
        node = Node.open(directory, 5, AfterPowerFailure.WARN);
        database = node.database("main");

        assertThat(database.tokens()).containsEntry(first.slot(), first.next()).doesNotContainKey(4);
        assertThat(database.slots()).isEqualTo(5);
        assertThat(database.lostCommits()).extracting(LostCommits::slots).isEqualTo(1);
    }

    @Test
    void tokensOfAnotherBootOfTheMachineAreKnown() {
        SlotTokens.open(temporary, 1, 2, 5, NODE, false).set(1, 42);

        assertThat(SlotTokens.open(temporary, 1, 2, 5, NODE, false).get(1)).isEqualTo(42);
        assertThat(SlotTokens.open(temporary, 1, 2, 6, NODE, false).get(1)).isEqualTo(42);
        assertThat(SlotTokens.open(temporary, 1, 2, 0, NODE, false).get(1))
                .as("the boot is not known")
                .isEqualTo(42);
    }

    private Set<Integer> differing(Map<Integer, Long> rows) {
        return new TreeSet<>(database.differing(database.tokens(), rows));
    }

    private Claim claim(String key) {
        return (Claim) scope.admit(OperationId.of("scope", "", key));
    }

    private WitnessedTransaction commit(String key) {
        WitnessedTransaction transaction = database.transaction(claim(key));
        transaction.committed();
        return transaction;
    }
}
