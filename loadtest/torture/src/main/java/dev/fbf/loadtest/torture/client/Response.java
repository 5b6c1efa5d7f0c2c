package dev.fbf.loadtest.torture.client;

import java.time.Duration;

/**
 * What a server answered.
 *
 * @param status the status code
 * @param replayed whether it says that the operation was applied before
 * @param retryAfter when to come again; zero if it does not say
 */
record Response(int status, boolean replayed, Duration retryAfter) {

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }
}
