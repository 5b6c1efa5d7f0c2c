package dev.fbf.spring;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Storage for the first responses to HTTP requests, replacing fbf's memory or table. A bean of this type applies to all scopes, in both
 * modes.
 *
 * <p>Must be thread-safe: several threads call it concurrently, outside fbf's transactions. {@link #store} is called when the operation is
 * applied and its response complete, by the thread that serves the request. An exception does not change the outcome: the operation is
 * applied, its retry gets the response for duplicates, and one warning is logged until the store works again.
 */
public interface ResponseStore {

    /**
     * Stores a response, which replaces an earlier one for the same operation.
     *
     * @param scope the operation's scope
     * @param operation the operation's id, unique among all scopes and callers
     * @param response the client's response in fbf's format, which may change with fbf's version
     * @param keepFor the time in which retries can request it: the scope's retry window
     */
    void store(String scope, UUID operation, byte[] response, Duration keepFor);

    /**
     * Finds a response.
     *
     * @param scope the operation's scope
     * @param operation the operation's id
     * @return the stored response; null if there is none, or it has expired
     */
    byte @Nullable [] find(String scope, UUID operation);
}
