package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a node commits to a lane that it shares, by a clock that is moved by hand; a batch takes 5 ms. */
class TurnsTest {

    private static final long MILLI = 1_000_000;
    private static final long BATCH = 5 * MILLI;
    private static final long WAIT = Turns.BATCHES_TO_WAIT * BATCH;
    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final int THIRD = 3;

    private long now = 1_000 * MILLI;
    private final Turns turns = new Turns(SELF, now);

    private void commit() {
        now += BATCH;
        turns.committed(turns.endsTurn(now - BATCH, true), BATCH, now);
    }

    private void see(int node, boolean lastOfTurn) {
        now += BATCH;
        turns.saw(node, lastOfTurn, now);
    }

    @Test
    void aNodeThatIsAloneNeitherWaitsNorEndsItsTurn() {
        for (int i = 0; i < 10; i++) {
            assertThat(turns.isShared(now)).isFalse();
            assertThat(turns.nanosToTurn(now)).isZero();
            assertThat(turns.endsTurn(now, true)).isFalse();
            commit();
        }
    }

    @Test
    void aTurnHasEightGroups() {
        see(OTHER, true);
        for (int i = 1; i <= 8; i++) {
            assertThat(turns.nanosToTurn(now)).as("group " + i).isLessThanOrEqualTo(0);
            assertThat(turns.endsTurn(now, true)).isEqualTo(i == 8);
            commit();
        }
        assertThat(turns.isInTurn(now)).isFalse();
        assertThat(turns.nanosToTurn(now)).as("for the other one").isEqualTo(WAIT);
    }

    @Test
    void aGroupBehindWhichNothingWaitsIsTheLastOfATurnIfTheLaneIsShared() {
        assertThat(turns.endsTurn(now, false)).as("alone").isFalse();
        see(OTHER, true);

        assertThat(turns.endsTurn(now, false)).isTrue();
    }

    @Test
    void afterAShortTurnTheGroupsAreReadOftenFromTheFirstOn() {
        see(OTHER, true);
        see(THIRD, false);

        assertThat(turns.nanosBetweenReads()).isEqualTo(BATCH / 4);
    }

    @Test
    void aNodeWaitsWhileAnotherHasTheTurnAndGoesOnWhenThatEndsIt() {
        see(OTHER, false);
        assertThat(turns.nanosToTurn(now)).isEqualTo(WAIT);
        now += BATCH;
        assertThat(turns.nanosToTurn(now)).isEqualTo(WAIT - BATCH);

        see(OTHER, true);
        assertThat(turns.nanosToTurn(now)).isZero();
    }

    @Test
    void aNodeThatDiedInItsTurnIsWaitedForAsLongAsSomeBatchesTake() {
        see(OTHER, false);
        now += WAIT;

        assertThat(turns.nanosToTurn(now)).isZero();
    }

    @Test
    void theNodeThatHasWaitedLongestIsTheNext() {
        commit();
        see(THIRD, false);
        see(OTHER, true);
        assertThat(turns.nanosToTurn(now)).as("its last group is the oldest").isZero();

        for (int i = 0; i < Turns.GROUPS; i++) {
            commit();
        }
        assertThat(turns.nanosToTurn(now)).as("after two others").isEqualTo(2 * WAIT);
        see(THIRD, true);
        assertThat(turns.nanosToTurn(now)).as("after one other").isEqualTo(WAIT);
    }

    @Test
    void aTurnEndsWhenItsNodePausesOrAnotherCommits() {
        see(OTHER, true);
        commit();
        assertThat(turns.isInTurn(now)).isTrue();

        now += WAIT;
        assertThat(turns.isInTurn(now)).isFalse();

        commit();
        see(OTHER, false);
        assertThat(turns.isInTurn(now)).isFalse();
        assertThat(turns.endsTurn(now, true)).as("another turn begins").isFalse();
    }

    @Test
    void aBusyNodeEndsItsTurnForOneThatWaits() {
        for (int i = 0; i < 20; i++) {
            commit();
        }
        turns.waits(OTHER, now);

        assertThat(turns.endsTurn(now, true)).isTrue();
        commit();
        assertThat(turns.nanosToTurn(now)).as("for the one that waits").isEqualTo(WAIT);
    }

    @Test
    void theGroupsAreReadSeldomWhileATurnLastsAndOftenWhenItIsAboutToEnd() {
        for (int i = 1; i <= Turns.GROUPS; i++) {
            see(OTHER, i == Turns.GROUPS);
            int left = Turns.GROUPS - i;
            assertThat(turns.nanosBetweenReads())
                    .as(left + " groups are left")
                    .isEqualTo(Math.max(BATCH / 4, Math.min(2 * BATCH, left * BATCH * 3 / 4)));
        }
    }

    @Test
    void aNodeIsAloneAgainWhenNoneOfTheOthersWasSeenForTwoSeconds() {
        see(OTHER, false);
        now += 2_000 * MILLI;
        assertThat(turns.isShared(now)).isTrue();

        now++;
        assertThat(turns.isShared(now)).isFalse();
        assertThat(turns.nanosToTurn(now)).isZero();
    }

    @Test
    void theTimesFollowThoseOfTheBatches() {
        for (int i = 0; i < 50; i++) {
            turns.committed(false, 100 * MILLI, now);
        }
        see(OTHER, false);

        assertThat(turns.nanosToTurn(now)).isBetween(399 * MILLI, 400 * MILLI);
    }
}
