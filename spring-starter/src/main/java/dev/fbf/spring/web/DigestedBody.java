package dev.fbf.spring.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;

/** Request body that is digested while it is read, up to a limit. Closing it has no effect, so that its rest can still be compared. */
final class DigestedBody extends ServletInputStream {

    /** Maximum number of bytes of a body that are compared. */
    static final int MAX = 1 << 20;

    private final ServletInputStream source;
    private final MessageDigest digest = Fingerprint.sha256();

    /** Bytes that were read for the comparison, for later readers. */
    private ByteArrayInputStream ahead = new ByteArrayInputStream(new byte[0]);

    /** Remaining number of bytes to compare. */
    private int left = MAX;

    private boolean begun;

    DigestedBody(ServletInputStream source) {
        this.source = source;
    }

    /**
     * Completes a body that a filter or an argument has begun to read, to its end or the limit, because parsers stop before the last line
     * break. Later reads are not compared.
     */
    void complete() throws IOException {
        if (begun && left > 0) {
            byte[] rest = source.readNBytes(left);
            compare(rest, 0, rest.length);
            ahead = new ByteArrayInputStream(rest);
        }
        left = 0;
    }

    /** Returns the digest of the compared bytes; empty if the body is unread. */
    byte[] digest() {
        return begun ? digest.digest() : new byte[0];
    }

    private void compare(byte[] bytes, int offset, int count) {
        int compared = Math.min(count, left);
        digest.update(bytes, offset, compared);
        left -= compared;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (ahead.available() > 0) {
            return ahead.read(bytes, offset, length);
        }
        int count = source.read(bytes, offset, length);
        // not before: a filter in front may have closed the source, which then fails
        begun = true;
        if (count > 0) {
            compare(bytes, offset, count);
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        return ahead.available() > 0 ? ahead.available() : source.available();
    }

    @Override
    public boolean isFinished() {
        return ahead.available() == 0 && source.isFinished();
    }

    @Override
    public boolean isReady() {
        return ahead.available() > 0 || source.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        source.setReadListener(listener);
    }

    @Override
    public void close() {
        // the comparison may still have to read the rest
    }
}
