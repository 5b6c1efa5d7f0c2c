package dev.fbf.loadtest.torture.pgwire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** Makes messages of one direction's bytes, however they are split. Not thread-safe. */
final class MessageSplitter {

    private static final int SSL_REQUEST = 80877103;
    private static final int GSSENC_REQUEST = 80877104;
    private static final int CANCEL_REQUEST = 80877102;

    private static final int LONGEST = 1 << 26;

    private byte[] buffer = new byte[8 * 1024];
    private int length;
    private boolean typed;
    /** Responses to requests for encryption are one byte, without a length. */
    private volatile boolean byteExpected;

    private MessageSplitter(boolean typed) {
        this.typed = typed;
    }

    /** For what a client sends: it begins with untyped messages. */
    static MessageSplitter ofClient() {
        return new MessageSplitter(false);
    }

    static MessageSplitter ofServer() {
        return new MessageSplitter(true);
    }

    /** Tells whether the message asks for an encrypted connection. */
    static boolean asksForEncryption(Message message) {
        return message.type() == Message.UNTYPED && (message.code() == SSL_REQUEST || message.code() == GSSENC_REQUEST);
    }

    /** The next byte from the server answers a request for encryption. May be called by another thread. */
    void expectByte() {
        byteExpected = true;
    }

    /**
     * Takes the next bytes, and gives the messages that they complete.
     *
     * @throws IOException if this is no such protocol
     */
    void feed(byte[] bytes, int count, Consumer<Message> messages) throws IOException {
        if (buffer.length - length < count) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, length + count));
        }
        System.arraycopy(bytes, 0, buffer, length, count);
        length += count;
        int start = 0;
        for (int end = endOfMessage(start); end <= length && start < length; end = endOfMessage(start)) {
            Message message = new Message(typed ? (char) buffer[start] : 0, Arrays.copyOfRange(buffer, start, end));
            if (byteExpected) {
                byteExpected = false;
            } else {
                if (!typed) {
                    typed = message.code() != CANCEL_REQUEST && !asksForEncryption(message);
                }
                messages.accept(message);
            }
            start = end;
        }
        System.arraycopy(buffer, start, buffer, 0, length - start);
        length -= start;
    }

    /** Where the message ends that begins at {@code start}; beyond all bytes if its length is not known yet. */
    private int endOfMessage(int start) throws IOException {
        if (byteExpected) {
            return start + 1;
        }
        int type = typed ? 1 : 0;
        if (length - start < type + Integer.BYTES) {
            return Integer.MAX_VALUE;
        }
        int size = ByteBuffer.wrap(buffer).getInt(start + type);
        if (size < Integer.BYTES || size > LONGEST) {
            throw new IOException("a message of " + size + " bytes: this is not PostgreSQL's protocol");
        }
        return start + type + size;
    }
}
