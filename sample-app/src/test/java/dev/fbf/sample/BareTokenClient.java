package dev.fbf.sample;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;

/**
 * As the clients of payment services do it: a random UUID without quotes, sent again after a failed connection, 409 and 5xx,
 * after waits that double.
 */
final class BareTokenClient implements PageClient {

    private static final int MOST_TRIES = 20;

    private final AnyNode nodes;
    private final HttpClient http = HttpClient.newHttpClient();

    BareTokenClient(AnyNode nodes) {
        this.nodes = nodes;
    }

    @Override
    public void view(String page) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        for (int tries = 1; !counted(page, key); tries++) {
            if (tries == MOST_TRIES) {
                throw new IllegalStateException("No response after " + MOST_TRIES + " tries");
            }
            Thread.sleep(Math.min(10L << tries, 500));
        }
    }

    private boolean counted(String page, String key) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(nodes.any().resolve("/pages/" + page + "/views"))
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            int status =
                    http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status >= 400 && status != 409 && status < 500) {
                throw new IllegalStateException("Refused with " + status);
            }
            return status < 400;
        } catch (IOException lostResponse) {
            return false;
        }
    }
}
