package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetTest {

    @Test
    void theBoundWillDo() {
        assertThat(Target.Bound.atLeast(1.6).admits(1.6)).isTrue();
        assertThat(Target.Bound.atMost(0.3).admits(0.3)).isTrue();
    }

    @Test
    void whatIsOnTheWrongSideWillNot() {
        assertThat(Target.Bound.atLeast(1.6).admits(1.59)).isFalse();
        assertThat(Target.Bound.atMost(0.3).admits(0.31)).isFalse();
    }
}
