package dev.fbf.loadtest.torture.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client of MariaDB: each packet is a batch, and the driver prepares no statements at the server. */
final class MariaDbStream implements ClientStream {

    private static final int HEADER = 4;
    private static final int LENGTH = 0xFFFFFF;
    private static final byte QUERY = 3;

    private ByteBuffer unread = ByteBuffer.allocate(0);

    @Override
    public List<Batch> feed(byte[] bytes, int length) {
        unread = ByteBuffer.allocate(unread.remaining() + length)
                .put(unread)
                .put(bytes, 0, length)
                .flip()
                .order(ByteOrder.LITTLE_ENDIAN);
        List<Batch> complete = new ArrayList<>();
        for (int size = size(); size <= unread.remaining(); size = size()) {
            byte[] packet = new byte[size];
            unread.get(packet);
            ByteArrayOutputStream batch = new ByteArrayOutputStream();
            batch.writeBytes(packet);
            complete.add(new Batch(batch, statements(packet)));
        }
        return complete;
    }

    /** The bytes of the next packet. More than there can be if that is not known yet. */
    private int size() {
        return unread.remaining() < HEADER ? Integer.MAX_VALUE : HEADER + (unread.getInt(unread.position()) & LENGTH);
    }

    /** The first packet of an exchange that the client begins has the number 0; those of the login have others. */
    private static List<String> statements(byte[] packet) {
        boolean isQuery = packet.length > HEADER && packet[HEADER - 1] == 0 && packet[HEADER] == QUERY;
        return isQuery
                ? List.of(new String(packet, HEADER + 1, packet.length - HEADER - 1, StandardCharsets.UTF_8))
                : List.of();
    }
}
