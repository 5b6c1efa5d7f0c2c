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
    void growsSuddenlyAndFallsAtTheEnd() {
        int tenth = trace.events() / 10;
        double last = 0;
        for (int i = trace.events() - tenth; i < trace.events(); i++) {
            last += trace.isBegin(i) ? 1 : 0;
        }
        assertThat(last / tenth).as("begins in the last tenth").isLessThan(0.4);
        assertThat(FlowTrace.of(FLOWS, PEAK, 1).element(17)).as("repeatable").isEqualTo(trace.element(17));
    }
}
