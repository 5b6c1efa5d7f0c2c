package dev.fbf.core.filter;

/**
 * Names the parts of a key.
 *
 * @param <T> the type of keys
 */
@FunctionalInterface
public interface Funnel<T> {

    /**
     * Puts all parts of a key that distinguish it from others into a sink, always in the same order.
     *
     * @param key the key
     * @param into takes the parts
     */
    void funnel(T key, KeySink into);
}
