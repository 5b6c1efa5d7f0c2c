package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TimeOrderedUuidsTest {

    private Instant now = Instant.parse("2026-03-04T05:06:07.123456Z");

    private final TimeOrderedUuids uuids = new TimeOrderedUuids(() -> now);

    @Test
    void theyHaveVersionVariantAndTime() {
        UUID uuid = uuids.next();

        assertThat(uuid.version()).isEqualTo(7);
        assertThat(uuid.variant()).isEqualTo(2);
        assertThat(uuid.getMostSignificantBits() >>> 16).isEqualTo(now.toEpochMilli());
        // 456 µs of a millisecond's 4096 parts
        assertThat(uuid.getMostSignificantBits() & 0xFFF).isEqualTo(456 * 4096 / 1000);
    }

    @Test
    void eachIsGreaterThanTheOneBeforeWhenTheClockIsSetBackALittle() {
        String before = uuids.next().toString();
        now = now.minusMillis(900);

        assertThat(uuids.next().toString()).isGreaterThan(before);
    }

    @Test
    void aClockThatIsSetBackAlongWayIsFollowed() {
        uuids.next();
        now = now.minus(Duration.ofHours(1));

        assertThat(uuids.next().getMostSignificantBits() >>> 16).isEqualTo(now.toEpochMilli());
    }

    @Test
    void threadsGetDifferentTimes() throws Exception {
        TimeOrderedUuids shared = new TimeOrderedUuids(InstantSource.fixed(now));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<List<UUID>>> results = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                results.add(threads.submit(
                        () -> Stream.generate(shared::next).limit(5_000).toList()));
            }
            Set<Long> times = new HashSet<>();
            for (Future<List<UUID>> result : results) {
                result.get().forEach(uuid -> times.add(uuid.getMostSignificantBits()));
            }
            assertThat(times).hasSize(20_000);
        } finally {
            threads.shutdown();
        }
    }
}
