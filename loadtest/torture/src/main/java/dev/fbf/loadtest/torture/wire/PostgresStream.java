package dev.fbf.loadtest.torture.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client of PostgreSQL. Remembers prepared statements: once a statement has a name, its text does not pass any more.
 */
final class PostgresStream implements ClientStream {

    private static final int CANCEL_REQUEST = 80877102;
    private static final int VERSION = 3;
    private static final int LONGEST = 1 << 26;

    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private ByteArrayOutputStream batch = new ByteArrayOutputStream();
    private final List<String> executed = new ArrayList<>();
    private ByteBuffer unread = ByteBuffer.allocate(0);
    private boolean begun;

    @Override
    public List<Batch> feed(byte[] bytes, int length) throws IOException {
        unread = ByteBuffer.allocate(unread.remaining() + length)
                .put(unread)
                .put(bytes, 0, length)
                .flip();
        List<Batch> complete = new ArrayList<>();
        for (int size = size(); size <= unread.remaining(); size = size()) {
            byte[] message = new byte[size];
            unread.get(message);
            batch.writeBytes(message);
            if (endsBatch(message)) {
                complete.add(new Batch(batch, List.copyOf(executed)));
                batch = new ByteArrayOutputStream();
                executed.clear();
            }
        }
        return complete;
    }

    /** The bytes of the next message: its type, but not of the first, its length, and its body. More than there can be if that is not known yet. */
    private int size() throws IOException {
        int type = begun ? 1 : 0;
        if (unread.remaining() < type + Integer.BYTES) {
            return Integer.MAX_VALUE;
        }
        int size = unread.getInt(unread.position() + type);
        if (size < Integer.BYTES || size > LONGEST) {
            throw new IOException("a message of " + size + " bytes: this is not PostgreSQL's protocol");
        }
        return type + size;
    }

    private boolean endsBatch(byte[] message) throws IOException {
        if (!begun) {
            int code = ByteBuffer.wrap(message).getInt(Integer.BYTES);
            if (code >> Short.SIZE != VERSION && code != CANCEL_REQUEST) {
                throw new IOException("another version, or encryption: the URL needs sslmode=disable");
            }
            begun = true;
            return true;
        }
        switch ((char) message[0]) {
            case 'P' -> { // Parse
                String[] nameAndText = strings(message, 0);
                statements.put(nameAndText[0], nameAndText[1]);
            }
            case 'B' -> { // Bind
                String[] portalAndStatement = strings(message, 0);
                portals.put(portalAndStatement[0], statements.getOrDefault(portalAndStatement[1], ""));
            }
            case 'E' -> executed.add(portals.getOrDefault(strings(message, 0)[0], "")); // Execute
            case 'C' -> // Close, of a statement or a portal
                (message[1 + Integer.BYTES] == 'S' ? statements : portals).remove(strings(message, 1)[0]);
            case 'D' -> {} // Describe
            case 'Q' -> { // a simple query
                executed.add(strings(message, 0)[0]);
                return true;
            }
            default -> { // Sync, Terminate, and what is sent before there are queries
                return true;
            }
        }
        return false;
    }

    /** Strings of a message's body, each ended by a zero byte, from an offset on. */
    private static String[] strings(byte[] message, int offset) {
        int begin = 1 + Integer.BYTES + offset;
        return new String(message, begin, message.length - begin, StandardCharsets.UTF_8).split("\0", -1);
    }
}
