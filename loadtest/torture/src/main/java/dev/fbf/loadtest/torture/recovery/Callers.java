package dev.fbf.loadtest.torture.recovery;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Clients that send one operation after the other, each on a thread of its own, until the application is gone. */
final class Callers {

    private static final int CALLERS = 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Contender contender;
    private final int port;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Queue<HttpRequest> unanswered = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();

    private Callers(Contender contender, int port) {
        this.contender = contender;
        this.port = port;
    }

    /** Starts them; they go on until the application is killed. */
    static Callers start(Contender contender, int port) {
        Callers callers = new Callers(contender, port);
        for (int i = 0; i < CALLERS; i++) {
            Thread thread = new Thread(callers::call, "caller-" + i);
            thread.setDaemon(true);
            callers.threads.add(thread);
            thread.start();
        }
        return callers;
    }

    private void call() {
        while (true) {
            HttpRequest request = request();
            try {
                int status = status(request);
                if (status != 200) {
                    throw new IllegalStateException(request.uri() + " was answered " + status);
                }
            } catch (IOException killed) {
                unanswered.add(request);
                return;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private HttpRequest request() {
        String path = contender.path(ThreadLocalRandom.current().nextInt(contender.counters()));
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Idempotency-Key", "\"" + UUID.randomUUID() + "\"")
                .timeout(TIMEOUT)
                .POST(BodyPublishers.noBody())
                .build();
    }

    /** Sends a request and returns the status of its response. */
    int status(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    /** Waits, once the application was killed, until all have noticed. */
    List<HttpRequest> unanswered() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TIMEOUT.toMillis());
        }
        if (unanswered.size() != CALLERS) {
            throw new IllegalStateException(
                    "of " + CALLERS + " callers, " + unanswered.size() + " lost their connection at the kill");
        }
        return List.copyOf(unanswered);
    }
}
