package dev.fbf.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** A response whose body is kept while it is sent, up to a bound. */
final class RecordedResponse extends HttpServletResponseWrapper {

    private final int maxBody;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream(0);

    private boolean tooLong;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    RecordedResponse(HttpServletResponse response, int maxBody) {
        super(response);
        this.maxBody = maxBody;
    }

    /** What was sent; null if it was more than can be kept. */
    byte @Nullable [] body() {
        if (writer != null) {
            writer.flush();
        }
        return tooLong ? null : kept.toByteArray();
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new Recording(super.getOutputStream());
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new PrintWriter(new OutputStreamWriter(getOutputStream(), getCharacterEncoding()));
        }
        return writer;
    }

    @Override
    public void flushBuffer() throws IOException {
        if (writer != null) {
            writer.flush();
        }
        super.flushBuffer();
    }

    @Override
    public void reset() {
        super.reset();
        forget();
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        forget();
    }

    private void forget() {
        kept.reset();
        tooLong = false;
    }

    private void keep(byte[] bytes, int offset, int length) {
        if (kept.size() + length > maxBody) {
            tooLong = true;
            kept.reset();
        } else if (!tooLong) {
            kept.write(bytes, offset, length);
        }
    }

    private final class Recording extends ServletOutputStream {

        private final ServletOutputStream target;

        Recording(ServletOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            target.write(value);
            keep(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target.write(bytes, offset, length);
            keep(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            target.flush();
        }

        @Override
        public void close() throws IOException {
            target.close();
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
