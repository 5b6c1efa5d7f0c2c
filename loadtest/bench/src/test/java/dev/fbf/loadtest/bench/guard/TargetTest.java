package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetTest {

    @Test
    void theBoundWillDo() {
        assertThat(Target.atLeast(1.6).admits(1.6)).isTrue();
        assertThat(Target.atMost(0.3).admits(0.3)).isTrue();
    }

    @Test
    void whatIsOnTheWrongSideWillNot() {
        assertThat(Target.atLeast(1.6).admits(1.59)).isFalse();
        assertThat(Target.atMost(0.3).admits(0.31)).isFalse();
    }
}
