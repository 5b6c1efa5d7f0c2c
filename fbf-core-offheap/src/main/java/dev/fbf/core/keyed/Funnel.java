package dev.fbf.core.keyed;

/**
 * Decomposition of keys into parts.
 *
 * @param <K> the type of keys
 */
@FunctionalInterface
public interface Funnel<K> {

    Funnel<byte[]> BYTES = (key, into) -> into.put(key);

    /** Funnel of text: its UTF-16 code units, regardless of its class. */
    Funnel<CharSequence> TEXT = (key, into) -> into.put(key);

    Funnel<Long> NUMBER = (key, into) -> into.put(key);

    /** Puts all parts that distinguish a key from others into a sink, always in the same order. */
    void funnel(K key, KeySink into);
}
