package dev.fbf.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FixedPortsTest {

    /** More than a JVM takes at once. */
    private static final int PORTS = 150;

    @Test
    void aPortIsGivenOnceThoughNobodyListensOnItAndToOneJvmAlone() throws Exception {
        List<Integer> here = draw();

        String there = ChildProcess.output(ChildProcess.java(List.of(), OtherJvm.class.getName(), List.of())
                .toArray(String[]::new));

        assertThat(here).doesNotHaveDuplicates();
        assertThat(Stream.of(there.split(" ", -1)).map(Integer::valueOf))
                .hasSize(PORTS)
                .doesNotContainAnyElementsOf(here);
    }

    private static List<Integer> draw() {
        return IntStream.range(0, PORTS).mapToObj(i -> FixedPorts.free()).toList();
    }

    static final class OtherJvm {

        private OtherJvm() {}

        public static void main(String[] args) {
            System.out.print(
                    String.join(" ", draw().stream().map(String::valueOf).toList()));
        }
    }
}
