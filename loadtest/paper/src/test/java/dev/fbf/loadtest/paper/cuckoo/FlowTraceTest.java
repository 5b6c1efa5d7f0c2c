package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlowTraceTest {

    private static final int FLOWS = 3_000;
    private static final int PEAK = 400;

    private final FlowTrace trace = FlowTrace.of(FLOWS, PEAK, 1);

    @Test
    void hasTheNumberOfFlowsAndTheLargestNumberAtATime() {
        assertThat(trace.events()).isEqualTo(2 * FLOWS);
        assertThat(trace.peak()).isBetween(PEAK - 3, PEAK + 3);
    }

    @Test
    void eachFlowBeginsOnceAndEndsAfterThat() {
        Set<Long> open = new HashSet<>();
        Set<Long> begun = new HashSet<>();
        for (int i = 0; i < trace.events(); i++) {
            if (trace.isBegin(i)) {
                assertThat(begun.add(trace.element(i))).isTrue();
                open.add(trace.element(i));
            } else {
                assertThat(open.remove(trace.element(i))).isTrue();
            }
        }

        assertThat(begun).hasSize(FLOWS);
        assertThat(open).isEmpty();
    }

    @Test
    void fallsAtTheEndWhichIsThatOfTheTwentyMinutes() {
        int tenth = trace.events() / 10;
        double last = 0;
        for (int i = trace.events() - tenth; i < trace.events(); i++) {
            last += trace.isBegin(i) ? 1 : 0;
        }
        assertThat(last / tenth).as("begins in the last tenth").isLessThan(0.4);
        assertThat(trace.end()).isBetween(0.9 * FlowTrace.SECONDS, FlowTrace.SECONDS);
    }

    @Test
    void isTheSameForTheSameSeed() {
        FlowTrace same = FlowTrace.of(FLOWS, PEAK, 1);
        for (int i = 0; i < trace.events(); i++) {
            assertThat(same.element(i)).isEqualTo(trace.element(i));
        }
        assertThat(FlowTrace.of(FLOWS, PEAK, 2).element(0)).isNotEqualTo(trace.element(0));
    }
}
