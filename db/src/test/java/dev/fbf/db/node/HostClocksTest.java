package dev.fbf.db.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Clocks of hosts, in seconds ahead of the database's. */
class HostClocksTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final long SKEW = 18;
    private static final long WINDOW = 180;

    @Test
    void aHostNearTheDatabaseIsBoundedByBoth() {
        assertThat(spread(0)).isEqualTo(ClockSpread.NONE);
        assertThat(spread(15)).isEqualTo(right(-15, 0));
        assertThat(spread(SKEW)).as("no farther").isEqualTo(right(-SKEW, 0));
        assertThat(spread(-15)).isEqualTo(right(0, 15));
        assertThat(spread(-15, 0, 10)).isEqualTo(right(0, 25));
    }

    @Test
    void aHostThatIsFarFromTheOthersAndFartherFromTheDatabaseIsWrong() {
        assertThat(spread(-120, 0, 1).wrongBy()).isEqualTo(Duration.ofMinutes(-2));
        assertThat(spread(86_400, 5).wrongBy()).isEqualTo(Duration.ofDays(1));
        assertThat(spread(0, -120)).as("the others do not count it").isEqualTo(ClockSpread.NONE);
        assertThat(spread(0, 120)).as("the others do not count it").isEqualTo(ClockSpread.NONE);
    }

    @Test
    void ifAllHostsAreFarFromTheDatabaseThatIsWrong() {
        assertThat(spread(300, 310, 295)).isEqualTo(right(-5, 10));
        assertThat(spread(-300)).as("alone").isEqualTo(ClockSpread.NONE);
    }

    @Test
    void timeThatTheDatabaseTakesToRespondIsNotADifference() {
        Instant received = NOW.plusSeconds(9);

        assertThat(own(NOW, received, NOW)).isZero();
        assertThat(own(NOW, received, received)).isZero();
        assertThat(own(NOW, received, received.plusSeconds(2))).isEqualTo(Duration.ofSeconds(-2));
        assertThat(own(NOW, received, NOW.minusSeconds(2))).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aStepIsWhatAClockHasMovedMoreThanTheMonotonicOne() {
        HostClocks clocks = HostClocks.of(NOW, NOW, NOW, List.of(), 7_000_000_000L);

        assertThat(HostClocks.isStep(clocks.hostStep(NOW.plusSeconds(60), 67_000_000_000L)))
                .isFalse();
        assertThat(HostClocks.isStep(clocks.hostStep(NOW.plusSeconds(60), 66_000_000_000L)))
                .isTrue();
        assertThat(clocks.hostStep(NOW.plusSeconds(60), 12_000_000_000L)).isEqualTo(Duration.ofSeconds(55));
        HostClocks later = HostClocks.of(NOW, NOW, NOW.minusSeconds(300), List.of(), 12_000_000_000L);
        assertThat(clocks.databaseStep(later)).isEqualTo(Duration.ofSeconds(-305));
    }

    /** Random clocks: a host whose clock is wrong applies no operation. */
    @Test
    void noNodeAppliesWhatAnotherMayHaveForgotten() {
        Random random = new Random(1);
        int applied = 0;
        for (int i = 0; i < 200_000; i++) {
            long[] hosts = random.longs(1 + random.nextInt(4), -40, 41).toArray();
            long host = hosts[random.nextInt(hosts.length)];
            long next = hosts[random.nextInt(hosts.length)];
            long key = random.nextLong(-60, 61);
            if (isApplied(key, 0, host, hosts)) {
                applied++;
                assertThat(isApplied(key, WINDOW + 1, next, hosts))
                        .as("key of %d s, applied by %d and then %d of %s", key, host, next, Arrays.toString(hosts))
                        .isFalse();
            }
        }
        assertThat(applied).isGreaterThan(20_000);
    }

    /** As the starter judges keys. */
    private static boolean isApplied(long key, long now, long host, long[] hosts) {
        ClockSpread spread = spread(host, hosts);
        long time = now + host;
        return spread.wrongBy().isZero()
                && key <= time + spread.earliest().toSeconds() + SKEW
                && key >= time + spread.latest().toSeconds() - (WINDOW - SKEW);
    }

    private static Duration own(Instant sent, Instant received, Instant database) {
        return HostClocks.of(sent, received, database, List.of(), 0).own();
    }

    private static ClockSpread spread(long own, long... others) {
        List<Duration> ahead = new ArrayList<>(
                LongStream.of(others).mapToObj(Duration::ofSeconds).toList());
        return HostClocks.of(NOW.plusSeconds(own), NOW.plusSeconds(own), NOW, ahead, 0)
                .spread(Duration.ofSeconds(SKEW));
    }

    private static ClockSpread right(long earliest, long latest) {
        return new ClockSpread(Duration.ofSeconds(earliest), Duration.ofSeconds(latest), Duration.ZERO);
    }
}
