package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

    @Test
    void eachContenderBeginsARoundOnce() {
        assertThat(Rounds.of(3, List.of("a", "b", "c"))).containsExactly("a", "b", "c", "b", "c", "a", "c", "a", "b");
    }
}
