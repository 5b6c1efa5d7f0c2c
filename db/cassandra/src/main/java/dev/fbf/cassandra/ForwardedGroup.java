package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations that a node forwards to the one that leads the lane, in the table's format.
 *
 * <pre>
 *  byte 0     1     format
 *       1     4     the node's number for it
 *       5     8     the number of the lane's groups that the node knew; none of them has these operations
 *  then, for each operation
 *       0    16     its id, most significant byte first
 *      16     8     its request's fingerprint; 0 if requests are not compared
 *      24     1     the number of its counters; for each of them
 *                   2 bytes, length of its name; the name in UTF-8; 8 bytes, the amount to add
 * </pre>
 *
 * @param node the node that forwards it
 * @param number the node's number for it
 * @param seq the number of the lane's groups that the node knew
 * @param increments its increments
 */
record ForwardedGroup(int node, int number, long seq, List<LaneIncrement> increments) {

    private static final byte FORMAT = 0x10;
    private static final int HEADER_BYTES = 1 + Integer.BYTES + Long.BYTES;
    private static final int INCREMENT_BYTES = GroupBlob.OPERATION_BYTES + 1;
    private static final int COUNTER_BYTES = Short.BYTES + Long.BYTES;

    /** Returns the group with some of its increments. */
    ForwardedGroup only(Predicate<LaneIncrement> wanted) {
        return new ForwardedGroup(
                node, number, seq, increments.stream().filter(wanted).toList());
    }

    ByteBuffer encode() {
        int size = HEADER_BYTES;
        for (LaneIncrement increment : increments) {
            size += INCREMENT_BYTES;
            for (String counter : increment.deltas().keySet()) {
                size += COUNTER_BYTES + utf8(counter).length;
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.put(FORMAT).putInt(number).putLong(seq);
        for (LaneIncrement increment : increments) {
            GroupBlob.Entry entry = increment.entry();
            Long fingerprint = entry.fingerprint();
            bytes.putLong(entry.id().high()).putLong(entry.id().low()).putLong(fingerprint == null ? 0 : fingerprint);
            bytes.put((byte) increment.deltas().size());
            increment.deltas().forEach((counter, delta) -> {
                byte[] name = utf8(counter);
                bytes.putShort((short) name.length).put(name).putLong(delta);
            });
        }
        return bytes.flip();
    }

    private static byte[] utf8(String counter) {
        return counter.getBytes(StandardCharsets.UTF_8);
    }

    /** Decodes a forwarded group; null if it has the format of another version of fbf: its node then commits it itself. */
    static @Nullable ForwardedGroup decode(int node, ByteBuffer stored) {
        ByteBuffer bytes = stored.duplicate();
        if (!bytes.hasRemaining() || bytes.get() != FORMAT) {
            return null;
        }
        int number = bytes.getInt();
        long seq = bytes.getLong();
        List<LaneIncrement> increments = new ArrayList<>();
        while (bytes.hasRemaining()) {
            OperationId id = new OperationId(bytes.getLong(), bytes.getLong());
            long fingerprint = bytes.getLong();
            int counters = bytes.get();
            Map<String, Long> deltas = new LinkedHashMap<>();
            for (int i = 0; i < counters; i++) {
                byte[] name = new byte[bytes.getShort()];
                bytes.get(name);
                deltas.put(new String(name, StandardCharsets.UTF_8), bytes.getLong());
            }
            increments.add(
                    new LaneIncrement(new GroupBlob.Entry(id, fingerprint == 0 ? null : fingerprint), null, deltas));
        }
        return new ForwardedGroup(node, number, seq, increments);
    }
}
