package dev.fbf.loadtest.torture.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AppliedGroupTest {

    @Test
    void isOfSeveralFromItsBeginToItsEndInItsThreadAlone() throws InterruptedException {
        Thread other = new Thread(() -> AppliedGroup.begin(2));
        other.start();
        other.join();
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
        AppliedGroup.begin(1);
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
        AppliedGroup.begin(2);
        assertThat(AppliedGroup.isOfSeveral()).isTrue();
        AppliedGroup.end();
        assertThat(AppliedGroup.isOfSeveral()).isFalse();
    }
}
