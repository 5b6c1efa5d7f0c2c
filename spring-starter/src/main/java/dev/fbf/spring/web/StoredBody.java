package dev.fbf.spring.web;

import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Refusals;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** What was read of a body and is still to be read by the application: its beginning in memory, and the rest in a temporary file. */
final class StoredBody implements AutoCloseable {

    static final StoredBody EMPTY = new StoredBody(new byte[0]);

    private static final Logger log = LoggerFactory.getLogger(StoredBody.class);
    private static final AtomicBoolean warned = new AtomicBoolean();
    private static final AtomicBoolean warnedOfDirectory = new AtomicBoolean();
    private static final int CHUNK = 1 << 16;

    private InputStream content;
    private long left;
    private @Nullable FileChannel file;

    StoredBody(byte[] beginning) {
        content = new ByteArrayInputStream(beginning);
        left = beginning.length;
    }

    /**
     * Stores the rest of a body.
     *
     * @param longest how many bytes are stored at most
     * @throws ResponseStatusException if there are more
     * @throws OperationRefusedException if they cannot be stored
     */
    void store(InputStream rest, long longest) throws IOException {
        byte[] chunk = new byte[CHUNK];
        for (int count = rest.read(chunk); count >= 0; count = rest.read(chunk)) {
            if (left + count > longest) {
                throw tooLong(longest);
            }
            append(ByteBuffer.wrap(chunk, 0, count));
            left += count;
        }
        if (file != null) {
            file.position(0);
            content = new SequenceInputStream(content, Channels.newInputStream(file));
        }
    }

    private void append(ByteBuffer bytes) {
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
                        + "). The operation was not applied. Make room there, or let the application have another directory.",
                cause);
        if (!warnedOfDirectory.getAndSet(true)) {
            log.warn("{}", refusal.getMessage());
        }
        return refusal;
    }

    static ResponseStatusException tooLong(long longest) {
        ResponseStatusException refusal = new ResponseStatusException(
                HttpStatus.CONTENT_TOO_LARGE,
                "A guarded method reads the body itself, and the body is longer than fbf.max-streamed-body=" + longest
                        + "B. The operation was not applied. Raise that property, or send less.");
        if (!warned.getAndSet(true)) {
            log.warn("{}", refusal.getReason());
        }
        return refusal;
    }

    /** Returns how many bytes are still to be read. */
    long left() {
        return left;
    }

    int read(byte[] bytes, int offset, int length) throws IOException {
        int count = content.read(bytes, offset, length);
        left -= Math.max(0, count);
        return count;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
