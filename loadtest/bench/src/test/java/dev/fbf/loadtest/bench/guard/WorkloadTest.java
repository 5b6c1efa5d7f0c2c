package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void oneRowIsAlwaysTheSame() {
        assertThat(counters(Workload.HOT)).containsOnly(0);
    }

    @Test
    void aThousandRowsComeAlike() {
        assertThat(counters(Workload.ROWS)).allMatch(counter -> counter >= 0 && counter < 1_000);
        assertThat(counters(Workload.ROWS).filter(counter -> counter < 100).count())
                .isBetween(9_000L, 11_000L);
    }

    @Test
    void ofZipfsTheFirstComeMuchMoreOften() {
        assertThat(counters(Workload.ZIPF)).allMatch(counter -> counter >= 0 && counter < 100_000);
        // the harmonic sums of 10 and of 100,000 numbers with the exponent 0.99: 2.98 of 12.8
        assertThat(counters(Workload.ZIPF).filter(counter -> counter < 10).count())
                .isBetween(22_000L, 25_000L);
        assertThat(counters(Workload.ZIPF).filter(counter -> counter >= 50_000).count())
                .isPositive();
    }

    @Test
    void whoeverIsIdleIsAlone() {
        assertThat(counters(Workload.IDLE)).containsOnly(0);
        assertThat(Workload.IDLE.clients(16)).isEqualTo(1);
        assertThat(Workload.HOT.clients(16)).isEqualTo(16);
    }

    private static Stream<Integer> counters(Workload workload) {
        Random random = new Random(1);
        return Stream.generate(() -> workload.counter(random)).limit(100_000);
    }
}
