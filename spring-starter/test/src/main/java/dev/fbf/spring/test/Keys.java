package dev.fbf.spring.test;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Keys for tests. */
final class Keys {

    static final String HEADER = "Idempotency-Key";

    private static final int VERSION = 0x7000;
    private static final int RANDOM = 0x1000;

    private Keys() {}

    /** Returns a UUID of version 7, because a scope may require keys with a time. */
    static String next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long time = System.currentTimeMillis() << Short.SIZE | VERSION | random.nextInt(RANDOM);
        return new UUID(time, Long.MIN_VALUE | random.nextLong() >>> 2).toString();
    }

    static String quoted(String key) {
        return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
