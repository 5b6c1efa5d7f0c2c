package dev.fbf.loadtest.torture.client;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;

/**
 * As much HTTP/1.1 as it takes to send one request after the other on one connection, with nothing between us and the socket:
 * no library resends anything behind our back. Not thread-safe.
 */
final class HttpConnection implements AutoCloseable {

    private static final int CONNECT_MILLIS = 1_000;
    private static final int LONGEST_LINE = 16 * 1024;

    private final Socket socket;
    private final InputStream in;
    private boolean reusable = true;

    private HttpConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static HttpConnection open(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return new HttpConnection(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends a request for one operation; {@link #receive} takes its response. */
    void send(String path, UUID key) throws IOException {
        String request = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                + "Idempotency-Key: \"" + key + "\"\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Waits for the response.
     *
     * @param timeout how long nothing may come
     * @throws java.net.SocketTimeoutException if nothing came for so long
     */
    Response receive(Duration timeout) throws IOException {
        socket.setSoTimeout(Math.max(1, (int) timeout.toMillis()));
        String[] statusLine = line().split(" ", 3);
        if (statusLine.length < 2 || !statusLine[0].startsWith("HTTP/1.")) {
            throw new IOException("no response in HTTP: " + String.join(" ", statusLine));
        }
        int status = Integer.parseInt(statusLine[1]);
        boolean replayed = false;
        boolean chunked = false;
        long length = 0;
        Duration retryAfter = Duration.ZERO;
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String value = line.substring(colon + 1).strip();
            switch (line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT)) {
                case "content-length" -> length = Long.parseLong(value);
                case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
                case "connection" -> reusable &= !value.equalsIgnoreCase("close");
                case "idempotent-replayed" -> replayed = value.equals("true");
                case "retry-after" -> retryAfter = Duration.ofSeconds(Long.parseLong(value));
                default -> {}
            }
        }
        if (chunked) {
            skipChunks();
        } else {
            in.skipNBytes(length);
        }
        return new Response(status, replayed, retryAfter);
    }

    private void skipChunks() throws IOException {
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            in.skipNBytes(size);
            line();
        }
        line();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.length() > LONGEST_LINE) {
                throw new EOFException("the response ended early");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    boolean isReusable() {
        return reusable;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    /**
     * What a server answered.
     *
     * @param replayed whether it says that the operation was applied before
     * @param retryAfter when to come again; zero if it does not say
     */
    record Response(int status, boolean replayed, Duration retryAfter) {

        boolean isSuccess() {
            return status >= 200 && status < 300;
        }
    }
}
