package dev.fbf.loadtest.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchTest {

    @ParameterizedTest
    @CsvSource({
        "guard,    none,  '',               false, false",
        "guard,    smoke, '',               false, true",
        "guard,    full,  '',               false, true",
        "recovery, full,  'guard,recovery', false, true",
        "bench,    full,  'guard,recovery', false, false",
        "guard,    smoke, '',               true,  false",
        "guard,    full,  '',               true,  true"
    })
    void startsTheRunsThatAreNamedAndHaveALengthAndTheShortOnesOnlyWithTheTests(
            String run, String length, String runs, String skipTests, boolean wanted) {
        Properties system = new Properties();
        system.setProperty("runs", runs);
        system.setProperty("skipTests", skipTests);
        assertThat(Launch.isWanted(run, Length.of(length), system)).isEqualTo(wanted);
    }
}
