package dev.fbf.core.keyed;

/**
 * Names the parts of a key.
 *
 * @param <K> the type of keys
 */
@FunctionalInterface
public interface Funnel<K> {

    /** Keys that are bytes. */
    Funnel<byte[]> BYTES = (key, into) -> into.put(key);

    /** Keys that are text: its UTF-16 code units, whatever class it is of. */
    Funnel<CharSequence> TEXT = (key, into) -> into.put(key);

    /** Keys that are numbers. */
    Funnel<Long> NUMBER = (key, into) -> into.put(key);

    /**
     * Puts all parts of a key that distinguish it from others into a sink, always in the same order.
     *
     * @param into takes the parts
     */
    void funnel(K key, KeySink into);
}
