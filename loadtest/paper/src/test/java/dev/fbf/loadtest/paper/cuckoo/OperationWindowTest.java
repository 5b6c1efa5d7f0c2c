package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OperationWindowTest {

    private static final int OPERATIONS = 6_000;
    private static final double FPP = 1e-7;

    static Stream<Named<OperationWindow>> windows() {
        return Stream.of(
                Named.of("queue", new OperationWindow.Cuckoo(OPERATIONS, FPP, 500)),
                Named.of("tags", new OperationWindow.Tagged(OPERATIONS, FPP, 500)),
                Named.of(
                        "CCF",
                        new OperationWindow.Consistent(
                                Shape.PAPER.withFingerprintBits(WindowCost.consistentBits(OPERATIONS, FPP)),
                                OPERATIONS,
                                0.85)));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void remembersEachOperationForAWindowAndForgetsItAfterAnotherPeriod(OperationWindow window) {
        long last = 4L * OPERATIONS;
        for (long operation = 0; operation < last; operation++) {
            assertThat(window.admit(operation))
                    .as("operation %d is new", operation)
                    .isTrue();
            long oldest = operation - OPERATIONS + 1;
            assertThat(oldest < 0 || window.contains(oldest))
                    .as("the oldest of the window")
                    .isTrue();
            assertThat(window.contains(operation)).isTrue();
        }
        long forgotten = last - OPERATIONS - OPERATIONS / WindowCost.PERIODS_OF_WINDOW - 1;

        assertThat(LongStream.range(0, forgotten).filter(window::contains)).isEmpty();
        assertThat(LongStream.range(last - OPERATIONS, last)).allMatch(window::contains);
    }

    @ParameterizedTest
    @MethodSource("windows")
    void takesARetryForNoNewOperation(OperationWindow window) {
        for (long operation = 0; operation < 100; operation++) {
            window.admit(operation);
            assertThat(window.admit(operation)).isFalse();
        }
    }
}
