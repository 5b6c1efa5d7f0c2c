package dev.fbf.spring.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** A body that is digested as it is read, up to a bound, and to that bound before it is read. */
final class FingerprintedBody extends ServletInputStream {

    /** Where time and system begin and end in the header of RFC 1952. */
    private static final int GZIP_TIME = 4;

    private static final int GZIP_NAME = 10;

    private final ServletInputStream source;
    private final int bound;
    private final boolean gzip;
    private final MessageDigest digest = Fingerprint.sha256();

    /** How many more bytes go into the digest. */
    private int left;

    /** What was read for the digest alone. */
    private ByteArrayInputStream ahead = new ByteArrayInputStream(new byte[0]);

    private byte @Nullable [] result;

    /**
     * Digests a body.
     *
     * @param gzip whether it is compressed: the time and the system in its header do not count, which differ in a retry
     */
    FingerprintedBody(ServletInputStream source, int bound, boolean gzip) {
        this.source = source;
        this.bound = bound;
        this.gzip = gzip;
        left = bound;
    }

    /** The digest of the body's beginning, up to the bound, whether that has been read or not. */
    byte[] digest() throws IOException {
        if (result == null) {
            byte[] rest = lookAhead();
            update(rest, 0, rest.length);
            result = digest.digest();
        }
        return result;
    }

    /** Reads what is left up to the bound, and leaves it to be read. */
    byte[] lookAhead() throws IOException {
        byte[] rest = source.readNBytes(left);
        ahead = new ByteArrayInputStream(rest);
        return rest;
    }

    private void update(byte[] bytes, int offset, int length) {
        int skipped = 0;
        if (gzip) {
            int position = bound - left;
            int before = Math.max(0, Math.min(GZIP_TIME - position, length));
            digest.update(bytes, offset, before);
            skipped = Math.max(before, Math.min(GZIP_NAME - position, length));
        }
        digest.update(bytes, offset + skipped, length - skipped);
        left -= length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (ahead.available() > 0) {
            return ahead.read(bytes, offset, length);
        }
        int count = source.read(bytes, offset, length);
        if (count > 0 && result == null) {
            update(bytes, offset, Math.min(count, left));
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        return ahead.available() + source.available();
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
    public void close() throws IOException {
        source.close();
    }
}
