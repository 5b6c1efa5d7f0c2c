package dev.fbf.spring;

import java.util.Map;

/**
 * An operation that a program asks for.
 *
 * @param key names it among those on the same counters
 * @param deltas what to add to which counter
 */
record KeyedDeltas(IdempotencyKey key, Map<String, Long> deltas) {

    static KeyedDeltas of(IdempotencyKey key, String counter, long delta) {
        return new KeyedDeltas(key, Map.of(counter, delta));
    }

    /** The only counter's. */
    Map.Entry<String, Long> only() {
        return deltas.entrySet().iterator().next();
    }
}
