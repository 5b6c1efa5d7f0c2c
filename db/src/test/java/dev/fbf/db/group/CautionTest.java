package dev.fbf.db.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CautionTest {

    private final Caution caution = new Caution();

    @Test
    void isNotNeededAtFirst() {
        assertThat(groupsUntilItIsOver()).isZero();
    }

    @Test
    void lasts32GroupsAndTwiceAsLongEachTimeUpTo1024() {
        for (int expected : new int[] {32, 64, 128, 256, 512, 1_024, 1_024}) {
            caution.failed(false);

            assertThat(groupsUntilItIsOver()).isEqualTo(expected);
        }
    }

    @Test
    void beginsAnewAfterASuccess() {
        caution.failed(true);
        groupsUntilItIsOver();

        caution.succeeded();
        caution.failed(true);

        assertThat(groupsUntilItIsOver()).isEqualTo(32);
    }

    @Test
    void isOfLocksIfTheLastFailureWas() {
        caution.failed(true);
        assertThat(caution.isOfLocks()).isTrue();

        caution.failed(false);
        assertThat(caution.isOfLocks()).isFalse();
    }

    private int groupsUntilItIsOver() {
        int groups = 0;
        while (caution.isNeeded()) {
            groups++;
        }
        return groups;
    }
}
