package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.db.Response;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.DisconnectedClientHelper;

/** Response that is recorded while it is sent, if a guarded method produces it. Other responses pass unrecorded. */
final class RecordedResponse extends HttpServletResponseWrapper {

    /* Bytes are recorded after the server has accepted them, in the state RECORDING only. All other states but UNDECIDED are final, until
     * the response is reset:
     *
     *   UNDECIDED -> PASSING                     unguarded code begins to write, or the response is a replay
     *   UNDECIDED -> RECORDING                   the handler is guarded, or an operation was applied
     *   RECORDING -> CLOSED                      closed, redirected or ended with an error: later writes are not sent
     *   RECORDING -> TOO_LONG                    the body exceeds the bound
     *   RECORDING -> UNKNOWN                     the client's response is unknown, or is not one document
     *
     * If the client is gone, writing its response fails. If the operation was applied before, the failure is hidden, because the
     * application would append an error to a document that the retry needs intact. Otherwise the failure rolls the operation back. */
    private enum State {
        UNDECIDED,
        PASSING,
        RECORDING,
        CLOSED,
        TOO_LONG,
        UNKNOWN
    }

    /** Request attribute with the response: other filters may wrap it. */
    static final String ATTRIBUTE = RecordedResponse.class.getName();

    private static final Logger log = LoggerFactory.getLogger(RecordedResponse.class);

    /** Characters that one byte of a header value cannot represent: RFC 9110, section 5.5. */
    private static final Pattern NOT_CARRIED = Pattern.compile("[^\\t -~\\x80-\\xff]");

    private final int maxBody;
    private final BooleanSupplier guarded;
    /** The applied operations, and the receivers of their response. */
    private final Map<UUID, Consumer<Response>> wanted = new LinkedHashMap<>(2);

    /** Headers as set by the application. */
    final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private final Body body = new Body();

    private State state = State.UNDECIDED;
    private boolean isReplay;
    private long contentLength = -1;
    private Response.Ending ending = Response.Ending.RETURNED;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /**
     * @param guarded whether this is known to be the response of a guarded handler
     */
    RecordedResponse(HttpServletResponse response, int maxBody, BooleanSupplier guarded) {
        super(response);
        this.maxBody = maxBody;
        this.guarded = guarded;
    }

    /**
     * Requests the response for an operation. If two operations of a request do so, neither gets it, because it would be the response to
     * both.
     */
    void want(UUID operation, Consumer<Response> receiver) {
        wanted.merge(operation, receiver, Consumer::andThen);
    }

    /** Records that the response is a replay: only another operation of the request can still request it. */
    void replayed() {
        isReplay = true;
    }

    /** Returns whether exactly one operation requested the response, and it is not an error of the server. */
    boolean isWanted() {
        return wanted.size() == 1 && getStatus() < 500;
    }

    /**
     * Returns the response for the operation that requested it.
     *
     * @param names the names of the kept headers
     * @return null if it was too long, the client's response is unknown, or a kept header cannot be represented in HTTP
     */
    @Nullable Response complete(Set<String> names) {
        if (!isRecorded() && state != State.CLOSED) {
            return null;
        }
        String lines = lines(names);
        byte[] all = body.toByteArray();
        if (lines == null || all.length < contentLength) {
            return null;
        }
        // the server sends at most the announced length
        byte[] sent = contentLength >= 0 && all.length > contentLength ? Arrays.copyOf(all, (int) contentLength) : all;
        return new Response(wanted.keySet().iterator().next(), getStatus(), lines, ending, sent);
    }

    /** Returns the headers in the format of {@link Response}; null if HTTP cannot represent one of the values. */
    private @Nullable String lines(Set<String> names) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        if (getContentType() != null) {
            kept.put(HttpHeaders.CONTENT_TYPE, List.of(getContentType()));
        }
        if (contentLength >= 0) {
            kept.put(HttpHeaders.CONTENT_LENGTH, List.of(Long.toString(contentLength)));
        }
        headers.forEach((name, values) -> {
            if (names.contains(name)) {
                kept.put(name, values);
            }
        });
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, List<String>> header : kept.entrySet()) {
            for (String value : header.getValue()) {
                if (NOT_CARRIED.matcher(value).find()) {
                    return null;
                }
                lines.append(header.getKey()).append(": ").append(value).append('\n');
            }
        }
        return lines.toString();
    }

    /** Passes the response to the receivers of all operations that requested it; null if it is not kept. */
    void handOver(@Nullable Response complete) {
        wanted.forEach(
                (operation, receiver) -> receiver.accept(complete == null ? Response.notKept(operation) : complete));
    }

    boolean isTooLong() {
        return state == State.TOO_LONG;
    }

    private boolean isRecorded() {
        if (state == State.UNDECIDED && (!wanted.isEmpty() || (!isReplay && guarded.getAsBoolean()))) {
            state = State.RECORDING;
        }
        return state == State.RECORDING;
    }

    private void end(State end) {
        if (isRecorded()) {
            state = end;
        }
    }

    @FunctionalInterface
    private interface Sending {
        void run() throws IOException;
    }

    private void send(Sending sending) throws IOException {
        try {
            sending.run();
        } catch (IOException e) {
            if (!isWanted() || !isRecorded() || !DisconnectedClientHelper.isClientDisconnectedException(e)) {
                end(State.UNKNOWN);
                throw e;
            }
            log.debug("The client disconnected; its response is kept for the retry: {}", e.toString());
        }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            ServletOutputStream target = super.getOutputStream();
            stream = begin() ? new RecordedStream(target) : target;
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            PrintWriter target = super.getWriter();
            writer = begin()
                    ? new PrintWriter(new RecordedText(target)) {
                        @Override
                        public boolean checkError() {
                            return super.checkError() || target.checkError();
                        }
                    }
                    : target;
        }
        return writer;
    }

    private boolean begin() {
        if (!isRecorded() && state == State.UNDECIDED) {
            state = State.PASSING;
        }
        return state != State.PASSING;
    }

    @Override
    public void flushBuffer() throws IOException {
        flushed();
        send(super::flushBuffer);
    }

    @Override
    public void reset() {
        endIfCommitted();
        super.reset();
        state = State.UNDECIDED;
        headers.clear();
        contentLength = -1;
        ending = Response.Ending.RETURNED;
        body.reset();
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        endIfCommitted();
        super.resetBuffer();
        if (state == State.TOO_LONG) {
            state = State.RECORDING;
        }
        body.reset();
    }

    /** Stops recording if a part of this response was sent and another one follows: the client gets neither. */
    private void endIfCommitted() {
        if (isCommitted()) {
            end(State.UNKNOWN);
        }
    }

    @Override
    public void setContentLength(int length) {
        super.setContentLength(length);
        announced(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        super.setContentLengthLong(length);
        announced(length);
    }

    private void announced(long length) {
        if (!isCommitted()) {
            contentLength = length;
        }
    }

    @Override
    public void setLocale(Locale locale) {
        super.setLocale(locale);
        if (locale != null && isRecorded() && !isCommitted()) {
            headers.put(HttpHeaders.CONTENT_LANGUAGE, List.of(locale.toLanguageTag()));
        }
    }

    @Override
    public void addCookie(Cookie cookie) {
        super.addCookie(cookie);
        changed(HttpHeaders.SET_COOKIE, null);
    }

    @Override
    public void setHeader(String name, String value) {
        super.setHeader(name, value);
        changed(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        super.addHeader(name, value);
        changed(name, value);
    }

    @Override
    public void setDateHeader(String name, long date) {
        super.setDateHeader(name, date);
        changed(name, null);
    }

    @Override
    public void addDateHeader(String name, long date) {
        super.addDateHeader(name, date);
        changed(name, null);
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, String.valueOf(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, String.valueOf(value));
    }

    private void changed(String name, @Nullable String value) {
        if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
            // the length must be tracked, because servers do not report it as a header
            announced(value != null && value.matches("\\d{1,18}") ? Long.parseLong(value) : -1);
        } else if (isRecorded() && !isCommitted()) {
            headers.put(name, List.copyOf(getHeaders(name)));
        }
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        endWith(Response.Ending.REDIRECTED, location, () -> super.sendRedirect(location));
    }

    @Override
    public void sendRedirect(String location, int status) throws IOException {
        endWith(Response.Ending.REDIRECTED, location, () -> super.sendRedirect(location, status));
    }

    @Override
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, HttpServletResponse.SC_FOUND, clearBuffer);
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (clearBuffer) {
            sendRedirect(location, status);
        } else {
            super.sendRedirect(location, status, false);
            end(State.UNKNOWN);
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        endWith(Response.Ending.ERROR, "", () -> super.sendError(status));
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        endWith(Response.Ending.ERROR, message == null ? "" : message, () -> super.sendError(status, message));
    }

    private void endWith(Response.Ending last, String argument, Sending call) throws IOException {
        endIfCommitted();
        send(call);
        if (isRecorded()) {
            ending = last;
            contentLength = -1;
            body.replace(argument.getBytes(UTF_8));
            state = State.CLOSED;
        }
    }

    private void flushed() {
        if (ending == Response.Ending.RETURNED) {
            ending = Response.Ending.FLUSHED;
        }
    }

    private void closed() {
        if (isRecorded()) {
            ending = Response.Ending.CLOSED;
            state = State.CLOSED;
        }
    }

    /** The part of the body that the server has accepted, up to the limit. */
    private final class Body extends ByteArrayOutputStream {

        Body() {
            super(0);
        }

        @Override
        public synchronized void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            if (state == State.RECORDING && length > maxBody - size()) {
                state = State.TOO_LONG;
                reset();
            }
            if (state == State.RECORDING) {
                super.write(bytes, offset, length);
            }
        }

        synchronized void replace(byte[] bytes) {
            reset();
            super.write(bytes, 0, bytes.length);
        }

        @Override
        public void close() {
            closed();
        }
    }

    /** Writer that passes text to the server's writer, and also encodes it for the record. */
    private final class RecordedText extends Writer {

        private final PrintWriter target;
        private final Writer encoder = new OutputStreamWriter(body, Charset.forName(getCharacterEncoding()));

        RecordedText(PrintWriter target) {
            this.target = target;
        }

        @Override
        public void write(char[] text, int offset, int length) throws IOException {
            target.write(text, offset, length);
            encoder.write(text, offset, length);
            encoder.flush();
        }

        @Override
        public void flush() {
            flushed();
            target.flush();
        }

        @Override
        public void close() throws IOException {
            target.close();
            encoder.close();
        }
    }

    private final class RecordedStream extends ServletOutputStream {

        private final ServletOutputStream target;

        RecordedStream(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            send(() -> target.write(bytes, offset, length));
            body.write(bytes, offset, length);
        }

        @Override
        public void write(ByteBuffer buffer) throws IOException {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            write(bytes, 0, bytes.length);
        }

        /** Sends the text, and records it if it is ASCII: the charset of other text differs between servers. */
        @Override
        public void print(String text) throws IOException {
            send(() -> target.print(text));
            if (US_ASCII.newEncoder().canEncode(String.valueOf(text))) {
                body.writeBytes(String.valueOf(text).getBytes(US_ASCII));
            } else {
                end(State.UNKNOWN);
            }
        }

        @Override
        public void flush() throws IOException {
            flushed();
            send(target::flush);
        }

        @Override
        public void close() throws IOException {
            send(target::close);
            closed();
        }

        @Override
        public boolean isReady() {
            return target.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            target.setWriteListener(listener);
        }
    }
}
