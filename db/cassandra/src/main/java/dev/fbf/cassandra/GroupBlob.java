package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a group, in the table's format.
 *
 * <pre>
 *  byte 0     1     format and flags: FORMAT, + WITH_FINGERPRINTS, + LAST_OF_TURN
 *       1     4     the node that has committed it
 *       5     4     the node's number for it; different groups have different numbers
 *       9     8     floor: groups up to this number are older than the window
 *      17   16 n    the operations' ids, most significant byte first
 *  17+16n    8 n    their requests' fingerprints, WITH_FINGERPRINTS only
 * </pre>
 *
 * @param node the node that has committed it
 * @param number the node's number for it
 * @param floor groups up to this number are older than the window
 * @param lastOfTurn whether the node leaves the lane to others after it
 * @param operations its operations
 */
record GroupBlob(int node, int number, long floor, boolean lastOfTurn, List<Entry> operations) {

    private static final int FORMAT = 0x10;
    private static final int FORMAT_MASK = 0xF0;
    private static final int WITH_FINGERPRINTS = 1;
    private static final int LAST_OF_TURN = 2;
    private static final int HEADER_BYTES = 17;
    private static final int ID_BYTES = 16;

    /** The bytes of an operation with its fingerprint. */
    static final int OPERATION_BYTES = ID_BYTES + Long.BYTES;

    /**
     * An operation.
     *
     * @param id its id
     * @param fingerprint the fingerprint of its request; null if requests are not compared
     */
    record Entry(OperationId id, @Nullable Long fingerprint) {}

    /** Returns whether another blob belongs to the same attempt to commit the same group. */
    boolean isSameGroup(GroupBlob other) {
        return node == other.node && number == other.number;
    }

    ByteBuffer encode() {
        boolean withFingerprints = operations.stream().anyMatch(entry -> entry.fingerprint != null);
        int size = HEADER_BYTES + operations.size() * (withFingerprints ? OPERATION_BYTES : ID_BYTES);
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.put((byte) (FORMAT | (withFingerprints ? WITH_FINGERPRINTS : 0) | (lastOfTurn ? LAST_OF_TURN : 0)));
        bytes.putInt(node).putInt(number).putLong(floor);
        operations.forEach(entry -> bytes.putLong(entry.id.high()).putLong(entry.id.low()));
        if (withFingerprints) {
            // 0 means none, so that a request with the fingerprint 0 is not compared
            operations.forEach(entry -> bytes.putLong(entry.fingerprint == null ? 0 : entry.fingerprint));
        }
        return bytes.flip();
    }

    /**
     * Decodes a group.
     *
     * @throws IllegalStateException if the content is not a group, or has a format of a newer version of fbf
     */
    static GroupBlob decode(ByteBuffer stored) {
        ByteBuffer bytes = stored.duplicate();
        if (bytes.remaining() < HEADER_BYTES) {
            throw new IllegalStateException("bytes=" + bytes.remaining() + ": shorter than the header of a group");
        }
        int flags = bytes.get();
        if ((flags & FORMAT_MASK) != FORMAT) {
            throw new IllegalStateException(
                    "format=" + ((flags & FORMAT_MASK) >> 4) + ": this version of fbf knows format " + (FORMAT >> 4));
        }
        boolean withFingerprints = (flags & WITH_FINGERPRINTS) != 0;
        int node = bytes.getInt();
        int number = bytes.getInt();
        long floor = bytes.getLong();
        int each = withFingerprints ? OPERATION_BYTES : ID_BYTES;
        if (bytes.remaining() % each != 0) {
            throw new IllegalStateException("bytes=" + bytes.remaining() + ": are not whole operations");
        }
        int count = bytes.remaining() / each;
        int fingerprints = bytes.position() + count * ID_BYTES;
        List<Entry> operations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            OperationId id = new OperationId(bytes.getLong(), bytes.getLong());
            long fingerprint = withFingerprints ? bytes.getLong(fingerprints + i * Long.BYTES) : 0;
            operations.add(new Entry(id, fingerprint == 0 ? null : fingerprint));
        }
        return new GroupBlob(node, number, floor, (flags & LAST_OF_TURN) != 0, List.copyOf(operations));
    }
}
