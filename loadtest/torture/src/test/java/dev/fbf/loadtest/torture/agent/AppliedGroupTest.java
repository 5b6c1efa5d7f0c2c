package dev.fbf.loadtest.torture.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppliedGroupTest {

    @AfterEach
    void end() {
        AppliedGroup.end();
    }

    @Test
    void isOfSeveralUntilItHasBeenApplied() {
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
        AppliedGroup.begin(2);
        assertThat(AppliedGroup.isOfSeveral()).isTrue();
        AppliedGroup.end();
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
    }

    @Test
    void isNotOfSeveralIfItHasOneOperation() {
        AppliedGroup.begin(1);
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
    }

    @Test
    void isThatOfItsThreadAlone() throws InterruptedException {
        Thread other = new Thread(() -> AppliedGroup.begin(2));
        other.start();
        other.join();
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
    }
}
