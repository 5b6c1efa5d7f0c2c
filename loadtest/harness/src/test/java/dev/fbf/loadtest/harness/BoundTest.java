package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundTest {

    @Test
    void theBoundWillDo() {
        assertThat(Bound.atLeast(1.6).admits(1.6)).isTrue();
        assertThat(Bound.atMost(0.3).admits(0.3)).isTrue();
    }

    @Test
    void whatIsOnTheWrongSideWillNot() {
        assertThat(Bound.atLeast(1.6).admits(1.59)).isFalse();
        assertThat(Bound.atMost(0.3).admits(0.31)).isFalse();
    }
}
