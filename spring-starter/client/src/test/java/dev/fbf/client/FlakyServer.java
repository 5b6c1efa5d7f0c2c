package dev.fbf.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An HTTP server on loopback that answers as it was told to, or not at all; when nothing is left to do it answers 200.
 * Registered as an extension it is closed after the test.
 */
final class FlakyServer implements AfterEachCallback {

    /** What a client sent. */
    record Received(String method, String path, Map<String, String> headers, String body) {

        @Nullable String key() {
            return headers.get("Idempotency-Key");
        }
    }

    private static final String LOSE = "lose";
    private static final String SILENCE = "silence";

    private final ServerSocket socket;
    private final Queue<String> plan = new ConcurrentLinkedQueue<>();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final List<Socket> silent = new ArrayList<>();
    private final Thread thread = new Thread(this::serve, "flaky-server");

    FlakyServer() {
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://" + socket.getInetAddress().getHostAddress() + ":" + socket.getLocalPort();
    }

    /** Closes the connection when the request is there. */
    FlakyServer thenLosesTheResponse() {
        return then(LOSE);
    }

    /** Leaves the request without a response, on a connection that stays open. */
    FlakyServer thenKeepsSilent() {
        return then(SILENCE);
    }

    FlakyServer thenAnswers(int status, String... headers) {
        String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return then("HTTP/1.1 " + status + " Told\r\n" + lines
                + "Content-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
                + (status < 300 ? "done" : "oops"));
    }

    private FlakyServer then(String response) {
        plan.add(response);
        return this;
    }

    List<Received> received() {
        return List.copyOf(received);
    }

    List<@Nullable String> keys() {
        List<@Nullable String> keys = new ArrayList<>();
        received.forEach(request -> keys.add(request.key()));
        return keys;
    }

    /** How often each operation was sent, in the order of their first requests; fails if a request had no key. */
    List<Integer> triesOfEachOperation() {
        Map<String, Integer> tries = new LinkedHashMap<>();
        received.forEach(request -> tries.merge(Objects.requireNonNull(request.key(), "no key"), 1, Integer::sum));
        return List.copyOf(tries.values());
    }

    private void serve() {
        while (!socket.isClosed()) {
            try {
                handle(socket.accept());
            } catch (IOException e) {
                // the client is gone, or this server is closed
            }
        }
    }

    private void handle(Socket connection) throws IOException {
        received.add(read(connection.getInputStream()));
        if (plan.isEmpty()) {
            thenAnswers(200);
        }
        String response = plan.remove();
        if (response.equals(SILENCE)) {
            silent.add(connection);
            return;
        }
        if (!response.equals(LOSE)) {
            connection.getOutputStream().write(response.getBytes(ISO_8859_1));
            connection.shutdownOutput();
        }
        connection.close();
    }

    private static Received read(InputStream in) throws IOException {
        String[] start = line(in).split(" ", -1);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.merge(line.substring(0, colon), line.substring(colon + 1).strip(), (a, b) -> a + " and " + b);
        }
        String body = headers.containsKey("Transfer-Encoding")
                ? chunks(in)
                : text(in, Integer.parseInt(headers.getOrDefault("Content-Length", "0")));
        return new Received(start[0], start[1], headers, body);
    }

    private static String chunks(InputStream in) throws IOException {
        StringBuilder body = new StringBuilder();
        for (int length = chunk(in); length > 0; length = chunk(in)) {
            body.append(text(in, length));
            line(in);
        }
        line(in);
        return body.toString();
    }

    private static int chunk(InputStream in) throws IOException {
        return Integer.parseInt(line(in), 16);
    }

    private static String text(InputStream in, int length) throws IOException {
        return new String(in.readNBytes(length), ISO_8859_1);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("The client is gone");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void afterEach(ExtensionContext test) throws IOException {
        close();
    }

    /** Returns when nobody listens: an accept under way may still take a connection after its socket was closed. */
    void close() throws IOException {
        socket.close();
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket connection : silent) {
            connection.close();
        }
    }
}
