package dev.fbf.client;

import java.time.Instant;
import java.util.UUID;

/** Keys of another time. */
final class Keys {

    private Keys() {}

    static String madeAt(Instant time) {
        return '"' + new UUID(time.toEpochMilli() << 16 | 0x7000, Long.MIN_VALUE).toString() + '"';
    }
}
