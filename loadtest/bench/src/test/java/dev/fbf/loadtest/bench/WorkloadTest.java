package dev.fbf.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void aNameHasClientsCountersAndRetries() {
        assertThat(Workload.of("64x1000")).isEqualTo(new Workload("64x1000", 64, 1_000, 0));
        assertThat(Workload.of("IDLE")).isEqualTo(new Workload("IDLE", 1, 1, 0));
        assertThat(Workload.of("HOT_STORM")).isEqualTo(new Workload("HOT_STORM", 0, 1, 0.9));
        assertThat(Workload.of("ZIPF_RETRIES")).isEqualTo(new Workload("ZIPF_RETRIES", 0, 100_000, 0.05));
    }

    @Test
    void aThousandRowsComeAlike() {
        assertThat(counters("ROWS")).allMatch(counter -> counter >= 0 && counter < 1_000);
        assertThat(counters("ROWS").filter(counter -> counter < 100).count()).isBetween(9_000L, 11_000L);
    }

    @Test
    void ofZipfsTheFirstComeMuchMoreOften() {
        assertThat(counters("ZIPF")).allMatch(counter -> counter >= 0 && counter < 100_000);
        // the harmonic sums of 10 and of 100,000 numbers with the exponent 0.99: 2.98 of 12.8
        assertThat(counters("ZIPF").filter(counter -> counter < 10).count()).isBetween(22_000L, 25_000L);
        assertThat(counters("ZIPF").filter(counter -> counter >= 50_000).count())
                .isPositive();
    }

    private static Stream<Integer> counters(String workload) {
        Random random = new Random(1);
        return Stream.generate(() -> Workload.of(workload).counter(random)).limit(100_000);
    }
}
