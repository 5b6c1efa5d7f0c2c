package dev.fbf.spring.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
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

    /** What was read before the application reads it. */
    private StoredBody ahead = StoredBody.EMPTY;

    private byte @Nullable [] beginning;

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
        if (beginning == null) {
            beginning = source.readNBytes(left);
            ahead = new StoredBody(beginning);
        }
        return beginning;
    }

    /**
     * Reads all of the body that nobody has read yet, and leaves it to be read: its reader does not wait for the client.
     *
     * @param longest how many bytes are stored at most
     */
    void readAhead(long longest) throws IOException {
        lookAhead();
        ahead.store(source, longest);
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
        if (ahead.left() > 0) {
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
        return (int) Math.min(Integer.MAX_VALUE, ahead.left() + source.available());
    }

    @Override
    public boolean isFinished() {
        return ahead.left() == 0 && source.isFinished();
    }

    @Override
    public boolean isReady() {
        return ahead.left() > 0 || source.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        source.setReadListener(listener);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }

    /** No more is read: the request is served. */
    void discard() throws IOException {
        ahead.close();
    }
}
