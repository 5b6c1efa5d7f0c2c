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
    void isTheSameInEachProcess() throws Exception {
        MachineClock here = MachineClock.monotonic();
        assumeTrue(here.boot() != MachineClock.UNKNOWN_BOOT, "this machine does not tell its starts apart");

        long before = here.uptimeNanos();
        String[] there = ChildJvm.run(List.of(), Printed.class).strip().split(" ", 2);

        assertThat(there[0]).isEqualTo(Long.toString(here.boot()));
        assertThat(Long.parseLong(there[1])).isBetween(before, here.uptimeNanos());
    }

    /** Else the operations of the last process would look older there. */
    @Test
    void isUnknownToAProcessWhoseClocksAreOthers() throws Exception {
        assumeTrue(ChildJvm.canRun(CLOCKS_APART), "this machine, or this user, has no time namespaces");

        String[] there = ChildJvm.run(CLOCKS_APART, Printed.class).strip().split(" ", 2);

        assertThat(there[0]).isEqualTo(Long.toString(MachineClock.UNKNOWN_BOOT));
    }

    static final class Printed {

        private Printed() {}

        public static void main(String[] arguments) {
            MachineClock clock = MachineClock.monotonic();
            System.out.println(clock.boot() + " " + clock.uptimeNanos());
        }
    }
}
