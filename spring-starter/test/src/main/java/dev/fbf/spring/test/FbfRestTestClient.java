package dev.fbf.spring.test;

import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;

/** Keys for the requests of RestTestClient, and of other clients with a method {@code headers(Consumer<HttpHeaders>)}. */
public final class FbfRestTestClient {

    private FbfRestTestClient() {}

    /**
     * Adds a new key, the same one to each request, so that the second request is a retry.
     *
     * @return the argument for {@code headers}
     */
    public static Consumer<HttpHeaders> idempotencyKey() {
        return idempotencyKey(Keys.next());
    }

    /**
     * Adds a key in the header {@code Idempotency-Key}.
     *
     * @param key 1 to 255 printable ASCII characters; it is sent as a string, in quotes
     * @return the argument for {@code headers}
     */
    public static Consumer<HttpHeaders> idempotencyKey(String key) {
        return headers -> headers.set(Keys.HEADER, Keys.quoted(key));
    }
}
