package dev.fbf.spring;

import java.util.Map;

/** What {@link SqlCounters} calls through the interceptors that guard methods. */
interface KeyedCounters {

    long add(String key, String counter, long delta);

    Map<String, Long> addAll(String key, Map<String, Long> deltas);
}
