package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TargetTest {

    @Test
    void isMetByItsBound() {
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.6), Target.atMost("", 0.3, 0.3)))
                .allMatch(Target::met);
        assertThat(Stream.of(Target.atLeast("", 1.6, 1.59), Target.atMost("", 0.3, 0.31)))
                .noneMatch(Target::met);
    }
}
