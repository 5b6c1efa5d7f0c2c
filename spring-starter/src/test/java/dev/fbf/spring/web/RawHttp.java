package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** HTTP/1.1 as it is on the wire: a request for each connection, and the bytes that come back. */
final class RawHttp {

    private RawHttp() {}

    /** Sends a request, and returns all bytes of its response, as text of which each character is a byte. */
    static String send(int port, String request) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    /** Returns the text of a request; each header is a line. */
    static String request(String method, String path, String body, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                + body.length() + "\r\n"
                + String.join(
                        "", List.of(headers).stream().map(line -> line + "\r\n").toList()) + "\r\n" + body;
    }

    /** The status line and headers, one each, in their order. */
    static List<String> head(String response) {
        return List.of(response.substring(0, response.indexOf("\r\n\r\n")).split("\r\n", -1));
    }

    /** The body, without the sizes of chunks. */
    static String body(String response) {
        String body = response.substring(response.indexOf("\r\n\r\n") + 4);
        boolean chunked = head(response).stream()
                .anyMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("transfer-encoding: chunked"));
        return chunked ? joined(body) : body;
    }

    private static String joined(String chunks) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        int at = 0;
        while (at < chunks.length()) {
            int end = chunks.indexOf("\r\n", at);
            int size = Integer.parseInt(chunks.substring(at, end), 16);
            byte[] bytes = chunks.substring(end + 2, end + 2 + size).getBytes(ISO_8859_1);
            joined.write(bytes, 0, bytes.length);
            at = end + 2 + size + 2;
        }
        return joined.toString(ISO_8859_1);
    }

    /** The lines of a head but those of some headers, sorted. */
    static List<String> without(List<String> head, String... names) {
        List<String> lines = new ArrayList<>(head);
        for (String name : names) {
            lines.removeIf(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"));
        }
        return lines.stream().sorted().toList();
    }
}
