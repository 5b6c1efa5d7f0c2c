package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which node commits to a lane that several share, by a clock that is moved by hand; a batch takes 5 ms. */
class LeadershipTest {

    private static final long MILLI = 1_000_000;
    private static final long BATCH = 5 * MILLI;
    private static final long SILENCE = Leadership.SILENT_BATCHES * BATCH;
    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final int THIRD = 3;

    private long now = Long.MAX_VALUE - 5; // System.nanoTime may overflow
    private long groups = 100;
    private final Leadership leadership = new Leadership(SELF, now);

    private void commit() {
        now += BATCH;
        leadership.committed(++groups, BATCH, now);
    }

    private void see(int node, boolean idle) {
        now += BATCH;
        groups++;
        leadership.saw(node, idle, now);
    }

    private boolean adds(int node, int number, long seq) {
        return leadership.adds(new ForwardedGroup(node, number, seq, List.of()));
    }

    @Test
    void aNodeFollowsTheOneThatHasCommittedTheLastGroup() {
        commit();
        see(OTHER, false);
        assertThat(leadership.follows(now)).isTrue();
        assertThat(leadership.leader()).isEqualTo(OTHER);

        commit();
        assertThat(leadership.follows(now)).isFalse();
        assertThat(leadership.leader()).isEqualTo(SELF);
    }

    @Test
    void aLeaderThatIsSilentForSomeBatchesIsNotFollowed() {
        see(OTHER, false);
        now += SILENCE - 1;
        assertThat(leadership.follows(now)).isTrue();

        now++;
        assertThat(leadership.follows(now)).isFalse();
    }

    @Test
    void aLeaderAddsEachForwardedGroupOnce() {
        commit();

        assertThat(adds(OTHER, 7, groups)).isTrue();
        assertThat(adds(OTHER, 7, groups)).as("the same again").isFalse();
        assertThat(adds(OTHER, 6, groups)).as("an older one").isFalse();
        assertThat(adds(THIRD, 6, groups)).as("of another node").isTrue();
        assertThat(adds(OTHER, 8, groups)).isTrue();
    }

    @Test
    void onlyALeaderAddsForwardedGroups() {
        assertThat(adds(OTHER, 1, groups)).as("before its first group").isFalse();
        commit();
        see(THIRD, false);

        assertThat(adds(OTHER, 1, groups)).isFalse();
    }

    @Test
    void aGroupThatWasForwardedToAnEarlierLeaderIsNotAdded() {
        commit();
        see(THIRD, false);
        long forwardedTo = groups;
        commit();

        assertThat(adds(OTHER, 1, forwardedTo)).isFalse();
        assertThat(adds(OTHER, 2, groups)).isTrue();
        commit();
        assertThat(adds(OTHER, 3, groups - 1)).as("to this leader").isTrue();
    }
}
