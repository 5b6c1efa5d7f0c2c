package dev.fbf.spring;

import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Keys that carry a time, as clients make them. */
public final class TimedKeys {

    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    private TimedKeys() {}

    public static String uuid(Instant time) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = time.toEpochMilli() << 16 | 0x7000L | random.nextInt(1 << 12);
        long low = random.nextLong() >>> 2 | 0x8000_0000_0000_0000L;
        return new UUID(high, low).toString();
    }

    public static String ulid(Instant time) {
        StringBuilder ulid = new StringBuilder();
        for (int shift = 45; shift >= 0; shift -= 5) {
            ulid.append(CROCKFORD.charAt((int) (time.toEpochMilli() >>> shift & 31)));
        }
        ThreadLocalRandom.current().ints(16, 0, 32).forEach(digit -> ulid.append(CROCKFORD.charAt(digit)));
        return ulid.toString();
    }
}
