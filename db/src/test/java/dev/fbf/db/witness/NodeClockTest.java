package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.SetClock;
import dev.fbf.db.witness.Standing.State;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The registry of nodes while the clock of the database, or of a node's host, is set. */
class NodeClockTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private static final String SCOPE = NodeProcess.SCOPE;
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final Duration ROUND = NodeLease.RENEWAL;

    private enum Clock {
        DATABASE,
        HOST
    }

    @TempDir
    private Path temporary;

    private final List<NodeProcess> nodes = new ArrayList<>();
    private Connection connection;
    private SetClock clock;
    private Duration now = Duration.ZERO;

    @BeforeAll
    static void setClock() throws SQLException {
        SetClock.install(database.connect());
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
        clock = SetClock.of(connection);
    }

    @AfterEach
    void close() {
        nodes.forEach(NodeProcess::close);
    }

    private enum Situation {
        REPLACED_AFTER_A_KILL,
        REPLACED_BEFORE_THE_STEP,
        REPLACED_AFTER_ITS_END,
        ALIVE_BESIDE_ANOTHER,
        STARTED_AGAIN
    }

    static Stream<Arguments> often() {
        return Stream.of(Situation.values())
                .flatMap(situation -> LongStream.of(300, -86_400)
                        .mapToObj(seconds -> Arguments.of(situation, Clock.DATABASE, Duration.ofSeconds(seconds))));
    }

    static Stream<Arguments> all() {
        return Stream.of(Situation.values())
                .flatMap(situation -> Stream.of(Clock.values())
                        .flatMap(which -> LongStream.of(0, 300, -300, 86_400, -86_400, 1, -1)
                                .mapToObj(seconds -> Arguments.of(situation, which, Duration.ofSeconds(seconds)))));
    }

    @ParameterizedTest
    @MethodSource("often")
    void noRetryIsAppliedAgainAndNobodyWaitsForLong(Situation situation, Clock which, Duration step)
            throws SQLException {
        play(situation, which, step);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("all")
    void noRetryIsAppliedAgainAndNobodyWaitsForLongWhateverTheStep(Situation situation, Clock which, Duration step)
            throws SQLException {
        play(situation, which, step);
    }

    private void play(Situation situation, Clock which, Duration step) throws SQLException {
        switch (situation) {
            case REPLACED_AFTER_A_KILL -> theReplacementOfAKilledNodeHoldsBackForTheWindow(which, step);
            case REPLACED_BEFORE_THE_STEP -> theReplacementThatBeganBeforeTheStepDoesSoToo(which, step);
            case REPLACED_AFTER_ITS_END ->
                theReplacementOfANodeThatEndedHoldsBackForTheWindowSinceItsLastOperation(which, step);
            case ALIVE_BESIDE_ANOTHER -> aNodeThatIsAliveGoesOnAndKeepsOthersOut(which, step);
            case STARTED_AGAIN ->
                aNodeThatIsStartedAgainWithItsDirectoryWaitsForNothingAndItsOperationsAreNotForgotten(which, step);
        }
    }

    private void theReplacementOfAKilledNodeHoldsBackForTheWindow(Clock which, Duration step) throws SQLException {
        TestNode killed = filter();
        killed.register();
        pass(ROUND);
        assertThat(killed.renewApplied()).containsExactly(SCOPE);
        Duration last = now.plus(LeaseTable.LEASE); // its last operation may be as late as that
        pass(ROUND);
        set(which, step);

        assertHeldBackSince(last, filter(), ROUND.multipliedBy(2));
    }

    private void theReplacementThatBeganBeforeTheStepDoesSoToo(Clock which, Duration step) throws SQLException {
        filter().register();
        Duration last = now.plus(LeaseTable.LEASE);
        pass(LeaseTable.LEASE);
        TestNode replacement = filter();
        assertThat(replacement.register().state()).isEqualTo(State.HELD_BACK);
        pass(ROUND);
        set(which, step);

        assertHeldBackSince(last, replacement, ROUND);
    }

    private void theReplacementOfANodeThatEndedHoldsBackForTheWindowSinceItsLastOperation(Clock which, Duration step)
            throws SQLException {
        TestNode ended = filter();
        ended.register();
        ended.renewApplied();
        Duration last = now;
        pass(ROUND);
        set(which, step);
        ended.renew();
        pass(ROUND);
        ended.end();
        pass(ROUND);
        set(which, step.negated());
        pass(ROUND);
        set(which, step);

        assertHeldBackSince(last, filter(), now.minus(last).plus(LeaseTable.LEASE));
    }

    private void aNodeThatIsAliveGoesOnAndKeepsOthersOut(Clock which, Duration step) throws SQLException {
        TestNode alive = filter();
        alive.register();
        TestNode other = filter();
        assertThat(other.register().state()).isEqualTo(State.REFUSED);
        pass(ROUND);
        set(which, step);

        for (Duration end = now.plus(LeaseTable.LEASE.multipliedBy(2)); now.compareTo(end) < 0; pass(ROUND)) {
            assertThat(other.register().state()).isEqualTo(State.REFUSED);
            assertThat(filter().register().state()).isEqualTo(State.REFUSED);
            assertThat(alive.renew()).containsExactly(SCOPE);
        }
    }

    private void aNodeThatIsStartedAgainWithItsDirectoryWaitsForNothingAndItsOperationsAreNotForgotten(
            Clock which, Duration step) throws SQLException {
        TestNode killed = filter();
        killed.register();
        killed.renewApplied();
        Duration last = now.plus(LeaseTable.LEASE);
        pass(ROUND);
        set(which, step);

        killed.process.close();
        TestNode again = new TestNode(killed.process.directory);
        assertThat(again.register().state()).isEqualTo(State.HELD);
        again.end();
        assertHeldBackSince(now.compareTo(last) < 0 ? now : last, filter(), LeaseTable.LEASE);
    }

    @Test
    void aStepDeletesNoRowThatIsNeeded() throws SQLException {
        filter().register();
        pass(LeaseTable.LEASE);
        set(Clock.DATABASE, Duration.ofDays(30));

        assertThat(filter().register().state()).isEqualTo(State.HELD_BACK);
        pass(ROUND);
        assertThat(filter().register().state()).isEqualTo(State.REFUSED);
        pass(LeaseTable.LEASE);
        assertThat(filter().register().state()).isEqualTo(State.HELD_BACK);
    }

    /**
     * From the window after the last operation of another node on, the node applies operations: not earlier, and not later than
     * a lease and what else may be added.
     */
    private void assertHeldBackSince(Duration last, TestNode node, Duration late) throws SQLException {
        Duration begin = now;
        boolean held = false;
        for (State state = node.register().state();
                state != State.HELD;
                state = node.register().state()) {
            held |= state == State.HELD_BACK;
            assertThat(held || now.compareTo(begin.plus(LeaseTable.LEASE)) < 0)
                    .as("decided within a lease")
                    .isTrue();
            assertThat(now).isLessThan(last.plus(WINDOW).plus(late));
            pass(ROUND);
        }
        assertThat(now).isGreaterThanOrEqualTo(last.plus(WINDOW));
    }

    private void pass(Duration time) throws SQLException {
        clock.pass(time);
        now = now.plus(time);
    }

    private void set(Clock which, Duration step) throws SQLException {
        if (which == Clock.DATABASE) {
            clock.set(step);
        } else {
            clock.setHost(step);
        }
    }

    private TestNode filter() {
        return new TestNode(temporary.resolve(Integer.toString(nodes.size())));
    }

    private final class TestNode {

        final NodeProcess process;

        TestNode(Path directory) {
            process = new NodeProcess(directory, false, WINDOW, clock::hostTime, clock::nanoTime);
            nodes.add(process);
        }

        Standing register() throws SQLException {
            return process.register(connection, false);
        }

        Set<String> renew() throws SQLException {
            return process.renew(connection);
        }

        Set<String> renewApplied() throws SQLException {
            return process.renew(connection);
        }

        void end() throws SQLException {
            process.end(connection);
        }
    }
}
