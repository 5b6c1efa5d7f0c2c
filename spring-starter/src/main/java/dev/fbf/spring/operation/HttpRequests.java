package dev.fbf.spring.operation;

import org.jspecify.annotations.Nullable;

/** Knows the HTTP request that this thread serves. */
@FunctionalInterface
public interface HttpRequests {

    /** Where there is no web server. */
    HttpRequests NONE = () -> null;

    /** The request; null if this thread serves none. */
    @Nullable HttpRequest current();
}
