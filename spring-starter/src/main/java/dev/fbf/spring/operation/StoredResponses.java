package dev.fbf.spring.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.ResponseStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Responses in the application's own store. If the store fails, retries get the response for duplicates. */
final class StoredResponses implements KeptResponses {

    /*
     * Format of a response in bytes:
     *
     *   version (1) | status (4) | length of the headers (4) | headers | body
     */
    private static final byte VERSION = 1;

    private static final Logger log = LoggerFactory.getLogger(StoredResponses.class);

    private final ResponseStore store;
    private final Function<String, Duration> windows;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** @param windows returns the retry window of a scope */
    StoredResponses(ResponseStore store, Function<String, Duration> windows) {
        this.store = store;
        this.windows = windows;
    }

    @Override
    public void keep(String scope, Operation operation, Response response) {
        try {
            store.store(scope, response.operation(), bytes(response), windows.apply(scope));
            warned.set(false);
        } catch (RuntimeException e) {
            warn("keep a response of the scope " + scope + ": its operation was applied, and retries get", e);
        }
    }

    @Override
    public @Nullable Response find(String scope, Operation operation) {
        UUID id = operation.id().toUuid();
        try {
            byte[] found = store.find(scope, id);
            Response response = found == null ? null : response(id, ByteBuffer.wrap(found));
            return response != null && response.isKept() ? response : null;
        } catch (RuntimeException e) {
            warn("find a response of the scope " + scope + ": a retry gets", e);
            return null;
        }
    }

    private void warn(String what, RuntimeException e) {
        if (!warned.getAndSet(true)) {
            log.warn(
                    "{} could not {} the response for duplicates. Cause: {}.",
                    store.getClass().getName(),
                    what,
                    e.getClass().getName());
        }
        log.debug("The failure of the store, whose message may have parts of a response:", e);
    }

    private static byte[] bytes(Response response) {
        byte[] headers = response.headers().getBytes(UTF_8);
        return ByteBuffer.allocate(1 + 2 * Integer.BYTES + headers.length + response.body().length)
                .put(VERSION)
                .putInt(response.status())
                .putInt(headers.length)
                .put(headers)
                .put(response.body())
                .array();
    }

    private static Response response(UUID operation, ByteBuffer bytes) {
        byte version = bytes.get();
        if (version != VERSION) {
            throw new IllegalStateException("version=" + version + ": not a response of this version of fbf");
        }
        int status = bytes.getInt();
        byte[] headers = new byte[bytes.getInt()];
        bytes.get(headers);
        byte[] body = new byte[bytes.remaining()];
        bytes.get(body);
        return new Response(operation, status, new String(headers, UTF_8), body);
    }
}
