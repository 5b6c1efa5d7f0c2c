package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MachineTest {

    @Test
    void stealIsThePartOfAllTimeThatOtherTenantsTook() {
        long[] begin = Machine.ticks("cpu  100 0 50 800 20 0 10 20 7 0");
        long[] end = Machine.ticks("cpu  150 0 60 820 20 0 10 40 9 0");

        assertThat(Machine.steal(begin, end)).isEqualTo(0.2);
        assertThat(Machine.steal(begin, begin)).isZero();
        assertThat(Machine.steal(new long[0], new long[0])).isZero();
    }

    @Test
    void whatIsNeitherIdleNorWaitsNorIsTakenByOtherTenantsIsBusy() {
        long[] begin = Machine.ticks("cpu  100 0 50 800 20 0 10 20 7 0");
        long[] end = Machine.ticks("cpu  120 0 55 850 30 5 10 30 9 0");

        assertThat(Machine.busy(begin, end)).isEqualTo(0.3);
        assertThat(Machine.busy(begin, begin)).isZero();
        assertThat(Machine.busy(new long[0], new long[0])).isZero();
    }

    @Test
    void warnsOfStealOfADiskThatChangesAndOfOtherWork() {
        assertThat(warning(0.04, 100, 250, 0.2)).isNull();
        assertThat(warning(0.06, 100, 250, 0.2)).contains("other tenants took 6 %");
        assertThat(warning(0, 100, 350, 0)).contains("a sync of the disk took 100, then 350 µs");
        assertThat(warning(0, 350, 100, 0)).contains("a sync of the disk took 350, then 100 µs");
        assertThat(warning(0, 100, 100, 0.26)).contains("other processes took 26 % of the processors' time");
    }

    private static @Nullable String warning(double steal, double before, double after, double busy) {
        return Machine.Disturbance.of(steal, before, after, busy).warning();
    }
}
