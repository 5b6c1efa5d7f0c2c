package dev.fbf.client;

import java.time.Instant;
import java.time.InstantSource;

/** Keys of another time. */
final class Keys {

    private Keys() {}

    static String madeAt(Instant time) {
        return '"' + new TimeOrderedUuids(InstantSource.fixed(time)).next().toString() + '"';
    }
}
