package dev.fbf.spring.operation;

import org.jspecify.annotations.Nullable;

/** Source of the HTTP request that the current thread handles. */
@FunctionalInterface
public interface HttpRequests {

    /** Source for applications without a web server. */
    HttpRequests NONE = () -> null;

    /** Returns the request; null if the thread handles none. */
    @Nullable HttpRequest current();
}
