package dev.fbf.loadtest.torture.pgwire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One message of PostgreSQL's protocol, with its type and its length, as it was on the wire. */
final class Message {

    /** The type of what a client sends before it may send typed messages. */
    static final char UNTYPED = 0;

    static final char QUERY = 'Q';
    static final char PARSE = 'P';
    static final char BIND = 'B';
    static final char EXECUTE = 'E';
    static final char DESCRIBE = 'D';
    static final char CLOSE = 'C';
    static final char SYNC = 'S';

    static final char COMMAND_COMPLETE = 'C';
    static final char ERROR_RESPONSE = 'E';
    static final char READY_FOR_QUERY = 'Z';

    private final char type;
    private final byte[] bytes;

    Message(char type, byte[] bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    char type() {
        return type;
    }

    byte[] bytes() {
        return bytes;
    }

    /** The body's first strings, each ended by a zero byte. */
    String[] strings(int count) {
        return strings(headerLength(), count);
    }

    /** The body's first character: what a Close names ({@code S}tatement or {@code P}ortal), or the state of a ReadyForQuery. */
    char first() {
        return (char) bytes[headerLength()];
    }

    /** The name behind {@link #first}. */
    String nameAfterFirst() {
        return strings(headerLength() + 1, 1)[0];
    }

    /** The code of an untyped message: a protocol version, or what it asks for. */
    int code() {
        return ByteBuffer.wrap(bytes).getInt(Integer.BYTES);
    }

    private String[] strings(int from, int count) {
        String[] strings = new String[count];
        int start = from;
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

    private int headerLength() {
        return type == UNTYPED ? Integer.BYTES : 1 + Integer.BYTES;
    }
}
