package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SoakReportTest {

    private long counter = 1_000;
    private long unacknowledged;
    private long shrinks = 1;
    private double highestFpp = 1e-9;
    private Duration duration = Duration.ofMinutes(4);
    private String missedLooks = "";
    private Optional<String> failure = Optional.empty();

    @Test
    void aSoakWithoutDriftIsNoCauseForComplaint() {
        assertThat(complaints()).isEmpty();
    }

    @Test
    void driftFailsTheRun() {
        counter = 999;
        List<Sample> samples = samples(i -> 100);

        assertThat(complaints())
                .containsExactly(
                        "the grouped counter is 999 after 1,000 acknowledged operations and 0 unacknowledged: it has drifted");
        assertThat(report(samples).table(parameters(), samples))
                .contains("grouped: 1,000 operations acknowledged, 0 not, 999 counted: drift -1");
    }

    @Test
    void tooManyMistakesFailTheRun() {
        highestFpp = 1.1e-9;

        assertThat(complaints())
                .containsExactly("the filter of counters was mistaken once in 909,090,909 new operations,"
                        + " more often than once in 1,000,000,000");
    }

    @Test
    void aFilterThatHadToMoveAndDidNotFailsTheRun() {
        shrinks = 0;
        assertThat(complaints()).singleElement().asString().contains("too little to soak");

        duration = duration.minusSeconds(1);
        assertThat(complaints()).isEmpty();
    }

    @Test
    void anUnacknowledgedOperationFailsTheRun() {
        unacknowledged = 1;
        failure = Optional.of("it is lost");

        assertThat(complaints()).singleElement().asString().endsWith("it is lost");
    }

    @Test
    void anUnacknowledgedOperationMayHaveBeenAppliedOrNot() {
        assertThat(LongStream.of(999, 1_000, 1_003, 1_004)
                        .map(counted -> new SoakReport.Count(1_000, 3, counted).drift()))
                .containsExactly(-1L, 0L, 0L, 1L);
    }

    @Test
    void anAppThatWasTooSlowToBeLookedAtIsJudgedByTheLooksThatThereAre() {
        missedLooks = "3, the first: timed out";
        List<Sample> samples = samples(i -> 100);
        SoakReport report = report(samples);

        assertThat(report.complaints()).isEmpty();
        assertThat(report.table(parameters(), samples))
                .endsWith("looks at the app that failed: 3, the first: timed out\n");
    }

    @Test
    void aSoakThatNobodySawFails() {
        assertThat(report(List.of()).complaints()).containsExactly("no sample could be taken");
    }

    @Test
    void theSlopeIsThatOfTheSecondHalf() {
        SoakReport.Memory resident =
                report(samples(i -> i < 50 ? i : 100 + i / 100.0)).resident();

        assertThat(resident.mebibytes()).isCloseTo(100.745, within(1e-6));
        assertThat(resident.slopePerHour()).isCloseTo(3.6, within(1e-6));
    }

    @Test
    void theCsvHasALineForEachSample() {
        assertThat(Sample.table(samples(i -> 100)).csv().lines())
                .hasSize(101)
                .contains("10.0,high,0,0.00,100.00,0.00,0.00,0.000,0,0,0.0000,0.000e+00,0,0,0");
    }

    @Test
    void theLoadIsHighFirstAndLowThen() {
        assertThat(parameters().isLoudAt(Duration.ofSeconds(119))).isTrue();
        assertThat(parameters().isLoudAt(Duration.ofMinutes(2))).isFalse();
        assertThat(parameters().isLoudAt(Duration.ofSeconds(239))).isFalse();
        assertThat(parameters().isLoudAt(Duration.ofMinutes(4))).isTrue();
    }

    private List<String> complaints() {
        return report(samples(i -> 100)).complaints();
    }

    private SoakParameters parameters() {
        return new SoakParameters(
                duration, Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofMinutes(2), Duration.ofSeconds(10));
    }

    private SoakReport report(List<Sample> samples) {
        return SoakReport.of(
                parameters(),
                new SoakReport.Rates(1_000, 700, 70, 70),
                Map.of(Endpoint.GROUPED, new SoakReport.Count(1_000, unacknowledged, counter)),
                Map.of("counters", new SoakReport.Filter(10, 1, shrinks, highestFpp, 1e-9)),
                samples,
                missedLooks,
                failure);
    }

    /** A hundred, ten seconds apart. */
    private static List<Sample> samples(IntToDoubleFunction resident) {
        return IntStream.range(0, 100)
                .mapToObj(
                        i -> new Sample(10.0 * i, true, 0, 0, resident.applyAsDouble(i), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .toList();
    }
}
