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
 *  byte 0     1     format and flags: FORMAT, + WITH_FINGERPRINTS, + IDLE
 *       1     4     the node that has committed it
 *       5     4     the node's number for it; different groups have different numbers
 *       9     8     floor: groups up to this number are older than the window
 *      17     4     n, the number of its operations
 *      21   16 n    their ids, most significant byte first
 *  21+16n    8 n    their requests' fingerprints, WITH_FINGERPRINTS only
 *  then, for each group that another node has forwarded
 *       0     4     the node
 *       4     4     the node's number for it
 *       8     2     the number of its operations, which are behind the others' in the same order
 *      10     2     s, the number of shares that these have made
 *      12   8 s     the shares, in the order of the operations and their counters
 * </pre>
 *
 * @param node the node that has committed it
 * @param number the node's number for it
 * @param floor groups up to this number are older than the window
 * @param idle whether the node is not expected to commit another group soon
 * @param operations its operations
 * @param added the forwarded groups whose operations are among them, behind the node's own
 */
record GroupBlob(int node, int number, long floor, boolean idle, List<Entry> operations, List<Added> added) {

    private static final int FORMAT = 0x10;
    private static final int FORMAT_MASK = 0xF0;
    private static final int WITH_FINGERPRINTS = 1;
    private static final int IDLE = 2;
    private static final int HEADER_BYTES = 21;
    private static final int ADDED_BYTES = 2 * Integer.BYTES + 2 * Short.BYTES;
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

    /**
     * A group that another node has forwarded.
     *
     * @param node the node
     * @param number the node's number for it
     * @param operations the number of its operations
     * @param shares the shares that these have made
     */
    record Added(int node, int number, int operations, List<Long> shares) {}

    /** Returns whether another blob belongs to the same attempt to commit the same group. */
    boolean isSameGroup(GroupBlob other) {
        return node == other.node && number == other.number;
    }

    ByteBuffer encode() {
        boolean withFingerprints = operations.stream().anyMatch(entry -> entry.fingerprint != null);
        int shares = added.stream().mapToInt(group -> group.shares.size()).sum();
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES
                + operations.size() * (withFingerprints ? OPERATION_BYTES : ID_BYTES)
                + added.size() * ADDED_BYTES
                + shares * Long.BYTES);
        bytes.put((byte) (FORMAT | (withFingerprints ? WITH_FINGERPRINTS : 0) | (idle ? IDLE : 0)));
        bytes.putInt(node).putInt(number).putLong(floor).putInt(operations.size());
        operations.forEach(entry -> bytes.putLong(entry.id.high()).putLong(entry.id.low()));
        if (withFingerprints) {
            // 0 means none: a request with the fingerprint 0 is not compared
            operations.forEach(entry -> bytes.putLong(entry.fingerprint == null ? 0 : entry.fingerprint));
        }
        for (Added group : added) {
            bytes.putInt(group.node).putInt(group.number);
            bytes.putShort((short) group.operations).putShort((short) group.shares.size());
            group.shares.forEach(bytes::putLong);
        }
        return bytes.flip();
    }

    /**
     * Decodes a group.
     *
     * @throws IllegalStateException if it has a format of a newer version of fbf
     * @throws java.nio.BufferUnderflowException if it was cut
     */
    static GroupBlob decode(ByteBuffer stored) {
        ByteBuffer bytes = stored.duplicate();
        int flags = bytes.get();
        if ((flags & FORMAT_MASK) != FORMAT) {
            throw new IllegalStateException("format=" + ((flags & FORMAT_MASK) >> 4)
                    + ": this version of fbf knows the format " + (FORMAT >> 4));
        }
        int node = bytes.getInt();
        int number = bytes.getInt();
        long floor = bytes.getLong();
        int count = bytes.getInt();
        boolean withFingerprints = (flags & WITH_FINGERPRINTS) != 0;
        int fingerprints = bytes.position() + count * ID_BYTES;
        List<Entry> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            OperationId id = new OperationId(bytes.getLong(), bytes.getLong());
            long fingerprint = withFingerprints ? bytes.getLong(fingerprints + i * Long.BYTES) : 0;
            operations.add(new Entry(id, fingerprint == 0 ? null : fingerprint));
        }
        bytes.position(fingerprints + (withFingerprints ? count * Long.BYTES : 0));
        List<Added> added = new ArrayList<>();
        while (bytes.hasRemaining()) {
            added.add(added(bytes));
        }
        return new GroupBlob(node, number, floor, (flags & IDLE) != 0, List.copyOf(operations), added);
    }

    private static Added added(ByteBuffer bytes) {
        int node = bytes.getInt();
        int number = bytes.getInt();
        int operations = bytes.getShort();
        List<Long> shares = new ArrayList<>();
        for (int left = bytes.getShort(); left > 0; left--) {
            shares.add(bytes.getLong());
        }
        return new Added(node, number, operations, shares);
    }
}
