package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** In this process, and in one whose clocks are others: with those of a machine that was suspended, or a container's. */
class BootTest {

    private static final List<String> CLOCKS_APART =
            List.of("unshare", "--time", "--monotonic", "100000", "--boottime", "200000", "-f");

    @Test
    void isTheSameInAProcessWhoseClocksAreOthers() throws Exception {
        assumeTrue(Boot.current().id() != Boot.UNKNOWN, "this machine does not tell its starts apart");
        assumeTrue(ChildJvm.canRun(CLOCKS_APART), "this machine, or this user, has no time namespaces");

        String[] there = ChildJvm.run(CLOCKS_APART, Printed.class).strip().split(" ", 2);

        assertThat(there[0]).isEqualTo(Long.toString(Boot.current().id()));
    }

    /** Else the operations of the last process would look that much older. */
    @Test
    void readsTheSameUptimeInAProcessWhoseClocksAreOthers() throws Exception {
        assumeTrue(ChildJvm.canRun(CLOCKS_APART), "this machine, or this user, has no time namespaces");

        long before = MachineClock.monotonic().uptimeNanos();
        String[] there = ChildJvm.run(CLOCKS_APART, Printed.class).strip().split(" ", 2);

        assertThat(Long.parseLong(there[1]))
                .isBetween(before, MachineClock.monotonic().uptimeNanos());
    }

    static final class Printed {

        private Printed() {}

        public static void main(String[] arguments) {
            MachineClock clock = MachineClock.monotonic();
            System.out.println(clock.boot() + " " + clock.uptimeNanos());
        }
    }
}
