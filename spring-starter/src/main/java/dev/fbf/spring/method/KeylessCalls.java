package dev.fbf.spring.method;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls that came without a key and were let through unguarded. Thread-safe. */
public final class KeylessCalls {

    private final Map<String, LongAdder> byScope = new ConcurrentHashMap<>();

    /** A call is about to reach its method, unguarded. */
    public void passed(String scope) {
        byScope.computeIfAbsent(scope, name -> new LongAdder()).increment();
    }

    public long count(String scope) {
        LongAdder count = byScope.get(scope);
        return count == null ? 0 : count.sum();
    }
}
