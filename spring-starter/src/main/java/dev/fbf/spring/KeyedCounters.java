package dev.fbf.spring;

import java.util.Map;

/** What {@link SqlCounters} calls through the interceptors that guard methods. */
interface KeyedCounters {

    /** Adds to a single counter. */
    long add(KeyedDeltas asked);

    /** Adds to all counters or to none. */
    Map<String, Long> addAll(KeyedDeltas asked);
}
