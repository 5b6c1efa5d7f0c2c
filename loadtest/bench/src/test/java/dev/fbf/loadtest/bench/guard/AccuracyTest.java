package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.guard.Crowd.Accuracy;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccuracyTest {

    @Test
    void countersThatAreWhatWasAnsweredAreExact() {
        assertThat(Accuracy.of(List.of(3L, 0L), List.of(3L, 0L))).isEqualTo(new Accuracy(0, 0));
    }

    @Test
    void retriesThatCountedMakeThemTooLarge() {
        assertThat(Accuracy.of(List.of(12L, 10L), List.of(10L, 10L))).isEqualTo(new Accuracy(0.1, 1));
    }

    @Test
    void errorsThatCancelEachOtherOutAreErrors() {
        assertThat(Accuracy.of(List.of(9L, 11L), List.of(10L, 10L))).isEqualTo(new Accuracy(0, 2));
    }
}
