package dev.fbf.loadtest.torture.pgwire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** Splits the bytes of one direction of an unencrypted connection into messages. Not thread-safe. */
final class MessageSplitter {

    private static final int CANCEL_REQUEST = 80877102;
    private static final int SSL_REQUEST = 80877103;
    private static final int LONGEST = 1 << 26;

    private byte[] buffer = new byte[8 * 1024];
    private int length;
    private boolean typed;

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
        for (int end = endOfMessage(start); end <= length; end = endOfMessage(start)) {
            Message message = new Message(typed ? (char) buffer[start] : 0, Arrays.copyOfRange(buffer, start, end));
            if (!typed) {
                int code = ByteBuffer.wrap(message.bytes).getInt(Integer.BYTES);
                if (code == SSL_REQUEST) {
                    throw new IOException("encryption is asked for: the URL needs sslmode=disable");
                }
                typed = code != CANCEL_REQUEST;
            }
            messages.accept(message);
            start = end;
        }
        System.arraycopy(buffer, start, buffer, 0, length - start);
        length -= start;
    }

    /** Where the message ends that begins at {@code start}; beyond all bytes if its length is not known yet. */
    private int endOfMessage(int start) throws IOException {
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

    /** A message with its type, 0 for none, and its length, as it was on the wire. */
    static final class Message {

        final char type;
        final byte[] bytes;

        private Message(char type, byte[] bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        /** The body's first character: what a Close names ({@code S}tatement or {@code P}ortal), or the state of a ReadyForQuery. */
        char first() {
            return (char) bytes[1 + Integer.BYTES];
        }

        /** Strings of the body, each ended by a zero byte, from an offset on. */
        String[] strings(int offset, int count) {
            String[] strings = new String[count];
            int start = 1 + Integer.BYTES + offset;
            for (int i = 0; i < count; i++) {
                int end = start;
                while (bytes[end] != 0) {
                    end++;
                }
                strings[i] = new String(bytes, start, end - start, StandardCharsets.UTF_8);
                start = end + 1;
            }
            return strings;
        }
    }
}
