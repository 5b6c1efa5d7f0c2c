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
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.DisconnectedClientHelper;

/** A response that is recorded while it is sent, if a guarded method makes it. Any other passes untouched. */
final class RecordedResponse extends HttpServletResponseWrapper {

    /* Bytes are kept when the server has taken them, in the state RECORDING alone. All other states but UNDECIDED are final, until
     * the response is reset:
     *
     *   UNDECIDED -> PASSING                     something that is not guarded begins to write
     *   UNDECIDED -> RECORDING                   the handler is guarded, or an operation was applied
     *   RECORDING -> CLOSED                      the writer has closed it: what comes after that is not sent
     *   RECORDING -> TOO_LONG                    the body exceeds the bound
     *   RECORDING -> UNKNOWN                     what the client gets is not known, or is not one document
     *
     * The connection of a client that has gone fails while its response is written. If the operation was applied by then, the
     * failure is not reported, because the application would append an error to a document that the retry needs whole. If it
     * was not, the failure rolls it back. */
    private enum State {
        UNDECIDED,
        PASSING,
        RECORDING,
        CLOSED,
        TOO_LONG,
        UNKNOWN
    }

    private static final Logger log = LoggerFactory.getLogger(RecordedResponse.class);

    private final int maxBody;
    private final KeptHeaders headers;
    private final BooleanSupplier guarded;
    private final BooleanSupplier applied;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream(0);

    private State state = State.UNDECIDED;
    private long contentLength = -1;
    private Response.Ending ending = Response.Ending.RETURNED;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /**
     * @param headers of this response alone
     * @param guarded whether this is the response of a guarded handler, as far as that is known already
     * @param applied whether an operation has been applied that wants this response
     */
    RecordedResponse(
            HttpServletResponse response,
            int maxBody,
            KeptHeaders headers,
            BooleanSupplier guarded,
            BooleanSupplier applied) {
        super(response);
        this.maxBody = maxBody;
        this.headers = headers;
        this.guarded = guarded;
        this.applied = applied;
    }

    /** Returns the response; null if it was too long, or what the client got is not known. */
    @Nullable Response complete(UUID operation) {
        flushKept();
        if (!isRecorded() && state != State.CLOSED) {
            return null;
        }
        String lines = headers.lines(getContentType(), contentLength);
        byte[] body = kept.toByteArray();
        if (lines == null || body.length < contentLength) {
            return null;
        }
        // the server sends no more than was announced
        byte[] sent =
                contentLength >= 0 && body.length > contentLength ? Arrays.copyOf(body, (int) contentLength) : body;
        return new Response(operation, getStatus(), lines, ending, sent);
    }

    boolean isTooLong() {
        return state == State.TOO_LONG;
    }

    private boolean isRecorded() {
        if (state == State.UNDECIDED && guarded.getAsBoolean()) {
            state = State.RECORDING;
        }
        return state == State.RECORDING;
    }

    private void end(State end) {
        if (isRecorded()) {
            state = end;
        }
    }

    private void keep(byte[] bytes, int offset, int length) {
        if (state == State.RECORDING && length > maxBody - kept.size()) {
            state = State.TOO_LONG;
            kept.reset();
        }
        if (state == State.RECORDING) {
            kept.write(bytes, offset, length);
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
            if (!applied.getAsBoolean()
                    || !isRecorded()
                    || !DisconnectedClientHelper.isClientDisconnectedException(e)) {
                end(State.UNKNOWN);
                throw e;
            }
            log.debug("The client has gone; its response is kept for its retry: {}", e.toString());
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
            writer = begin() ? recorded(target) : target;
        }
        return writer;
    }

    private PrintWriter recorded(PrintWriter target) {
        return new RecordedWriter(target, new Keeping(), getCharacterEncoding()) {
            @Override
            public void flush() {
                flushed();
                super.flush();
            }
        };
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
        unlessCommitted(super::reset);
        state = State.UNDECIDED;
        headers.clear();
        contentLength = -1;
        ending = Response.Ending.RETURNED;
        kept.reset();
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        unlessCommitted(super::resetBuffer);
        if (state == State.TOO_LONG) {
            state = State.RECORDING;
        }
        kept.reset();
    }

    /** Another response follows: if a part of this one was sent, the client gets neither. */
    private void unlessCommitted(Runnable reset) {
        if (isCommitted()) {
            end(State.UNKNOWN);
        }
        flushKept();
        reset.run();
    }

    private void flushKept() {
        if (writer instanceof RecordedWriter recorded) {
            recorded.flushKept();
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
            headers.set(HttpHeaders.CONTENT_LANGUAGE, locale.toLanguageTag());
        }
    }

    @Override
    public void addCookie(Cookie cookie) {
        super.addCookie(cookie);
        changed(HttpHeaders.SET_COOKIE, "");
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
        changed(name, "");
    }

    @Override
    public void addDateHeader(String name, long date) {
        super.addDateHeader(name, date);
        changed(name, "");
    }

    @Override
    public void setIntHeader(String name, int value) {
        super.setIntHeader(name, value);
        changed(name, String.valueOf(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        super.addIntHeader(name, value);
        changed(name, String.valueOf(value));
    }

    private void changed(String name, @Nullable String value) {
        if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
            // a server does not report it as a header
            announced(value != null && value.matches("\\d{1,18}") ? Long.parseLong(value) : -1);
        } else if (isRecorded() && !isCommitted()) {
            headers.set(name, getHeaders(name));
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
        if (isCommitted()) {
            end(State.UNKNOWN);
        }
        send(call);
        if (isRecorded()) {
            ending = last;
            contentLength = -1;
            flushKept();
            kept.reset();
            kept.writeBytes(argument.getBytes(UTF_8));
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

    /** What a writer has encoded. */
    private final class Keeping extends OutputStream {

        @Override
        public void write(int value) {
            keep(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            keep(bytes, offset, length);
        }

        @Override
        public void close() {
            closed();
        }
    }

    private final class RecordedStream extends ServletOutputStream {

        private final ServletOutputStream target;

        RecordedStream(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            send(() -> target.write(value));
            keep(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            send(() -> target.write(bytes, offset, length));
            keep(bytes, offset, length);
        }

        @Override
        public void write(ByteBuffer buffer) throws IOException {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            send(() -> target.write(buffer));
            keep(bytes, 0, bytes.length);
        }

        /** Servers differ in the charset. */
        @Override
        public void print(String text) throws IOException {
            send(() -> target.print(text));
            if (US_ASCII.newEncoder().canEncode(String.valueOf(text))) {
                byte[] bytes = String.valueOf(text).getBytes(US_ASCII);
                keep(bytes, 0, bytes.length);
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
