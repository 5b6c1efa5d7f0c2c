package dev.fbf.spring.web;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** A body that is digested as it is read, up to a bound, and to that bound before it is read. */
final class FingerprintedBody extends ServletInputStream {

    /** An encoding adds less than an eighth and this to content that it cannot compress. */
    private static final long OVERHEAD = 1 << 10;

    private final ServletInputStream source;
    private final int bound;
    private final Encoding encoding;
    private final MessageDigest digest = Fingerprint.sha256();

    /** What was read of an encoded body, to be decoded as a whole. */
    private ByteArrayOutputStream encoded = new ByteArrayOutputStream();

    /** How many more bytes are compared. */
    private int left;

    /** What was read before the application reads it. */
    private StoredBody ahead = StoredBody.EMPTY;

    private byte @Nullable [] beginning;

    private byte @Nullable [] result;

    /** The encodings that Java can undo; the bytes of another one are compared as they are. */
    enum Encoding {
        NONE,
        GZIP,
        DEFLATE;

        static Encoding of(@Nullable String header) {
            return switch (header == null ? "" : header.trim().toLowerCase(Locale.ROOT)) {
                case "gzip", "x-gzip" -> GZIP;
                case "deflate" -> DEFLATE;
                default -> NONE;
            };
        }

        private InputStream decode(InputStream encoded) throws IOException {
            return switch (this) {
                case NONE -> encoded;
                case GZIP -> new GZIPInputStream(encoded);
                case DEFLATE -> new InflaterInputStream(encoded);
            };
        }
    }

    /**
     * Digests the content of a body.
     *
     * @param bound how much of the content is compared
     */
    FingerprintedBody(ServletInputStream source, int bound, Encoding encoding) {
        this.source = source;
        this.bound = bound;
        this.encoding = encoding;
        left = encoding == Encoding.NONE ? bound : (int) Math.min(Integer.MAX_VALUE, bound + bound / 8 + OVERHEAD);
    }

    /** The digest of the content's beginning, up to the bound, whether that has been read or not. */
    byte[] digest() throws IOException {
        if (result == null) {
            byte[] rest = lookAhead();
            update(rest, 0, rest.length);
            if (encoding != Encoding.NONE) {
                digest.update(decoded(encoded.toByteArray()));
                encoded = new ByteArrayOutputStream(0);
            }
            result = digest.digest();
        }
        return result;
    }

    /** Decodes no more than is compared, whatever the body expands to; what cannot be decoded stays as it is. */
    private byte[] decoded(byte[] body) {
        try (InputStream content = encoding.decode(new ByteArrayInputStream(body))) {
            return content.readNBytes(bound);
        } catch (IOException e) {
            return body;
        }
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
        if (encoding == Encoding.NONE) {
            digest.update(bytes, offset, length);
        } else {
            encoded.write(bytes, offset, length);
        }
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
