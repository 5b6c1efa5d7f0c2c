package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import dev.fbf.spring.transaction.Enlistment;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a guarded method can learn from, and tell about, the HTTP request that this thread serves. */
public interface HttpRequests {

    /** The header that tells a replay from the first response. */
    String REPLAYED = "Idempotent-Replayed";

    /** Whether this thread serves an HTTP request. */
    boolean inRequest();

    /** The values of a header, one for each line that it came in. */
    List<String> header(String name);

    /** 64 bits of the request's method, path, query and body; null if requests are not compared, or there is none. */
    @Nullable Long fingerprint();

    /** Sets a header of the response. */
    void respondWith(String header, String value);

    /** Hands over what the client will have been answered, if that is small, and is the response to this operation alone. */
    void recordResponse(UUID operation, Consumer<Response> receiver);

    /** What the client is told depends on how an operation comes out whose transaction goes on. */
    void follow(Enlistment enlistment);

    /** Where there is no web server. */
    HttpRequests NONE = new HttpRequests() {
        @Override
        public boolean inRequest() {
            return false;
        }

        @Override
        public List<String> header(String name) {
            return List.of();
        }

        @Override
        public @Nullable Long fingerprint() {
            return null;
        }

        @Override
        public void respondWith(String header, String value) {
            throw new IllegalStateException("no HTTP request to answer");
        }

        @Override
        public void recordResponse(UUID operation, Consumer<Response> receiver) {
            // nobody is answered
        }

        @Override
        public void follow(Enlistment enlistment) {
            // nobody but the caller is told
        }
    };
}
