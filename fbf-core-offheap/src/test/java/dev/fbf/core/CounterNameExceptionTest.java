package dev.fbf.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CounterNameExceptionTest {

    @ParameterizedTest
    @MethodSource
    void aNameIsOneLineInMessages(String counter, String printable) {
        assertThat(new CounterNameException(counter, "must be a UUID"))
                .hasMessage("counter=" + printable + ": must be a UUID");
    }

    static Stream<Arguments> aNameIsOneLineInMessages() {
        return Stream.of(
                Arguments.of("größe", "größe"),
                Arguments.of("a\r\nINFO forged", "a\\u000d\\u000aINFO forged"),
                Arguments.of("a\u001b[2Jb", "a\\u001b[2Jb"),
                Arguments.of("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
                Arguments.of("a\u202eb", "a\\u202eb"),
                Arguments.of("\ud800", "\\ud800"));
    }

    @Test
    void aLongNameIsCut() {
        assertThat(CounterNameException.printable("x".repeat(101))).isEqualTo("x".repeat(100) + "…");
        assertThat(CounterNameException.printable("x".repeat(100))).isEqualTo("x".repeat(100));
    }
}
