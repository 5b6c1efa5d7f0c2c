package dev.fbf.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** HTTP/1.1 requests to a loopback port. */
public final class Http {

    /*
     * No request may be resent without its sender. The JDK's client resends a request that it has sent only if it is a GET or
     * a HEAD, as long as nobody sets jdk.httpclient.enableAllMethodRetry.
     */
    private static final Duration CONNECT = Duration.ofSeconds(1);
    private static final HttpClient CLIENT;

    static {
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "connection");
        CLIENT = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT)
                .build();
    }

    private Http() {}

    public static HttpRequest get(int port, String path) {
        return request(port, path).build();
    }

    /** A request for an operation. */
    public static HttpRequest post(int port, String path, String key) {
        return operation(port, path, key).build();
    }

    /** The same, on a connection that is not used again. */
    public static HttpRequest lastPost(int port, String path, String key) {
        return operation(port, path, key).header("Connection", "close").build();
    }

    private static HttpRequest.Builder operation(int port, String path, String key) {
        return request(port, path).header("Idempotency-Key", "\"" + key + "\"").POST(BodyPublishers.noBody());
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    /** Whether a server listens on a port: to ask costs much less than a request that finds none. */
    public static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Sends a request; its connection is closed if it is cancelled. */
    public static CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
        return CLIENT.sendAsync(request, BodyHandlers.ofString());
    }

    /** Sends a request and waits for the response; empty if there is none in time. */
    public static Optional<HttpResponse<String>> exchange(HttpRequest request, Duration timeout)
            throws InterruptedException {
        CompletableFuture<HttpResponse<String>> response = send(request);
        try {
            return Optional.of(response.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return Optional.empty();
        } catch (TimeoutException e) {
            response.cancel(true);
            return Optional.empty();
        }
    }

    /** The status of the response to a request; 0 if there is none in time. */
    public static int status(HttpRequest request, Duration timeout) throws InterruptedException {
        return exchange(request, timeout).map(HttpResponse::statusCode).orElse(0);
    }
}
