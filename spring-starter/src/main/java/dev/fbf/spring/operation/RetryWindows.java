package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The retry window of each scope. Thread-safe. */
public final class RetryWindows {

    private final InstantSource clock;
    private final FbfProperties properties;
    private final Map<String, RetryWindow> byScope = new ConcurrentHashMap<>();

    public RetryWindows(InstantSource clock, FbfProperties properties) {
        this.clock = clock;
        this.properties = properties;
    }

    public RetryWindow of(String scope) {
        RetryWindow known = byScope.get(scope);
        return known != null ? known : byScope.computeIfAbsent(scope, this::make);
    }

    private RetryWindow make(String scope) {
        ScopeSettings settings = ScopeSettings.of(scope, properties);
        return new RetryWindow(scope, clock, settings.retryWindow(), settings.maxSkew(), settings.requireTime());
    }
}
