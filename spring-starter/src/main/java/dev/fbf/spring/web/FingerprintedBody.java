package dev.fbf.spring.web;

import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Refusals;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Request body that is digested up to a limit. The application reads it from the client or, after a read-ahead, from memory and a temporary
 * file.
 */
final class FingerprintedBody extends ServletInputStream {

    private static final Logger log = LoggerFactory.getLogger(FingerprintedBody.class);
    private static final AtomicBoolean warned = new AtomicBoolean();
    private static final AtomicBoolean warnedOfDirectory = new AtomicBoolean();

    /** The encodings that Java can decode; other bodies are compared in encoded form. */
    private static final Set<String> DECODED = Set.of("gzip", "x-gzip", "deflate");

    /** Bytes that an encoding may add, besides an eighth of the content, if it cannot compress the content. */
    private static final long OVERHEAD = 1 << 10;

    private static final int CHUNK = 1 << 16;

    private final ServletInputStream source;
    private final int bound;
    private final String encoding;
    private final MessageDigest digest = Fingerprint.sha256();

    /** The first bytes of an encoded body, which are decoded at the end; null if the body is digested as it is read. */
    private final @Nullable ByteArrayOutputStream encoded;

    /** Remaining number of bytes to compare. */
    private int left;

    /** The first bytes of the read-ahead; null before. */
    private byte @Nullable [] beginning;

    private InputStream ahead = nullInputStream();

    /** Remaining number of bytes in {@link #ahead}. */
    private long stored;

    private @Nullable FileChannel file;

    /** The failure of the read-ahead, because of which a part of the body is missing; null if the body is intact. */
    private @Nullable Exception failure;

    /**
     * Digests the content of a body.
     *
     * @param bound the number of bytes that are compared
     * @param encoding the encoding of the content; null if there is none
     */
    FingerprintedBody(ServletInputStream source, int bound, @Nullable String encoding) {
        this.source = source;
        this.bound = bound;
        this.encoding = encoding == null ? "" : encoding.trim().toLowerCase(Locale.ROOT);
        encoded = DECODED.contains(this.encoding) ? new ByteArrayOutputStream() : null;
        left = encoded == null ? bound : (int) Math.min(Integer.MAX_VALUE, bound + bound / 8 + OVERHEAD);
    }

    boolean isEncoded() {
        return encoded != null;
    }

    /**
     * Reads and stores the unread rest of the body, so that its reader does not wait for the client.
     *
     * @param longest the maximum number of stored bytes, for a body that exceeds the compared part
     * @return the first bytes, up to the limit of the comparison
     * @throws ResponseStatusException if the body has more bytes than the maximum
     * @throws OperationRefusedException if the body cannot be stored
     */
    byte[] readAhead(long longest) throws IOException {
        requireWhole();
        try {
            if (beginning == null) {
                int most = left;
                beginning = source.readNBytes(most);
                compare(beginning, 0, beginning.length);
                ahead = new ByteArrayInputStream(beginning);
                stored = beginning.length;
                if (stored < most) {
                    return beginning;
                }
            }
            storeRest(longest);
            return beginning;
        } catch (IOException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    private void storeRest(long longest) throws IOException {
        byte[] chunk = new byte[CHUNK];
        for (int count = source.read(chunk); count >= 0; count = source.read(chunk)) {
            if (stored + count > longest) {
                throw tooLong(longest);
            }
            store(ByteBuffer.wrap(chunk, 0, count));
            stored += count;
        }
        if (file != null) {
            file.position(0);
            ahead = new SequenceInputStream(ahead, Channels.newInputStream(file));
        }
    }

    private void requireWhole() throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
    }

    /** Returns the digest of the content's beginning, up to the limit, after the read-ahead. */
    byte[] digest() {
        return encoded == null ? digest.digest() : digest.digest(decoded(encoded.toByteArray()));
    }

    /** Decodes only the compared part, regardless of the body's decoded size. Returns an invalid body unchanged. */
    private byte[] decoded(byte[] body) {
        InputStream bytes = new ByteArrayInputStream(body);
        try (InputStream content =
                encoding.equals("deflate") ? new InflaterInputStream(bytes) : new GZIPInputStream(bytes)) {
            return content.readNBytes(bound);
        } catch (IOException e) {
            return body;
        }
    }

    private void compare(byte[] bytes, int offset, int length) {
        if (encoded == null) {
            digest.update(bytes, offset, length);
        } else {
            encoded.write(bytes, offset, length);
        }
        left -= length;
    }

    private void store(ByteBuffer bytes) {
        String directory = System.getProperty("java.io.tmpdir");
        try {
            if (file == null) {
                file = FileChannel.open(
                        Files.createTempFile(Path.of(directory), "fbf", null),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
            }
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw noRoom(directory, e);
        }
    }

    private static OperationRefusedException noRoom(String directory, IOException cause) {
        OperationRefusedException refusal = Refusals.noRoomForBody(
                ": no file can be written in java.io.tmpdir=" + directory + " (" + cause
                        + "). The operation was not applied. Free space there, or configure another directory.",
                cause);
        if (!warnedOfDirectory.getAndSet(true)) {
            log.warn("{}", refusal.getMessage());
        }
        return refusal;
    }

    private static ResponseStatusException tooLong(long longest) {
        ResponseStatusException refusal = new ResponseStatusException(
                HttpStatus.CONTENT_TOO_LARGE,
                "A guarded method reads the body itself, and the body is longer than fbf.max-streamed-body=" + longest
                        + "B. The operation was not applied. Raise that property, or send less.");
        if (!warned.getAndSet(true)) {
            log.warn("{}", refusal.getReason());
        }
        return refusal;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        requireWhole();
        boolean fromAhead = stored > 0;
        int count = (fromAhead ? ahead : source).read(bytes, offset, length);
        if (fromAhead) {
            stored -= Math.max(0, count);
        } else if (count > 0 && beginning == null) {
            compare(bytes, offset, Math.min(count, left));
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(Integer.MAX_VALUE, stored + source.available());
    }

    @Override
    public boolean isFinished() {
        return stored == 0 && source.isFinished();
    }

    @Override
    public boolean isReady() {
        return stored > 0 || source.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        source.setReadListener(listener);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }

    /** Discards the stored bytes after the request. */
    void discard() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
