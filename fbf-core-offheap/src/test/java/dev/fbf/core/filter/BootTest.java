package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class BootTest {

    /** A coarser one would lose a part of the window each time that a filter is opened. */
    @Test
    void tellsTheMachinesUptimeToTheMillisecond() {
        assumeTrue(Boot.current().isKnown(), "this system does not tell its starts apart");
        for (int i = 0; i < 100; i++) {
            long before = System.nanoTime() / 1_000_000;
            Boot boot = Boot.current();
            long after = System.nanoTime() / 1_000_000;

            assertThat(boot.uptimeMillis()).isBetween(before, after);
            assertThat(boot.id()).isEqualTo(Boot.current().id());
        }
    }
}
