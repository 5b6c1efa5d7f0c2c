package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.cassandra.GroupBlob.Added;
import dev.fbf.cassandra.GroupBlob.Entry;
import dev.fbf.core.OperationId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the table keeps of a group. */
class GroupBlobTest {

    private static final OperationId ID = new OperationId(Long.MIN_VALUE, 2);
    private static final OperationId OTHER = new OperationId(3, -4);

    @Test
    void aGroupIsReadAsItWasWritten() {
        for (boolean last : new boolean[] {false, true}) {
            GroupBlob group = new GroupBlob(
                    -1, 7, 1L << 40, last, List.of(new Entry(ID, null), new Entry(OTHER, null)), List.of());
            GroupBlob requested =
                    new GroupBlob(5, -6, 0, last, List.of(new Entry(ID, 8L), new Entry(OTHER, null)), List.of());

            assertThat(GroupBlob.decode(group.encode())).isEqualTo(group);
            assertThat(GroupBlob.decode(requested.encode())).isEqualTo(requested);
        }
    }

    @Test
    void aGroupWithForwardedOperationsIsReadAsItWasWritten() {
        List<Added> added = List.of(new Added(-8, 9, 1, List.of(Long.MIN_VALUE, 3L)), new Added(5, -6, 0, List.of()));
        for (Long fingerprint : new Long[] {null, 8L}) {
            List<Entry> entries = List.of(new Entry(ID, null), new Entry(OTHER, fingerprint));
            GroupBlob group = new GroupBlob(-1, 7, 1L << 40, true, entries, added);

            assertThat(GroupBlob.decode(group.encode())).isEqualTo(group);
        }
    }

    @Test
    void groupsAreTheSameByTheirNodeAndItsNumber() {
        GroupBlob group = new GroupBlob(1, 2, 3, false, List.of(), List.of());

        assertThat(group.isSameGroup(new GroupBlob(1, 2, 9, true, List.of(new Entry(ID, null)), List.of())))
                .isTrue();
        assertThat(group.isSameGroup(new GroupBlob(1, 3, 3, false, List.of(), List.of())))
                .isFalse();
        assertThat(group.isSameGroup(new GroupBlob(2, 2, 3, false, List.of(), List.of())))
                .isFalse();
    }

    @Test
    void bytesThatAreNoGroupAreRefused() {
        ByteBuffer newer = ByteBuffer.allocate(21).put(0, (byte) 0x30);
        assertThatIllegalStateException()
                .isThrownBy(() -> GroupBlob.decode(newer))
                .withMessageContaining("format=3");
        ByteBuffer cut = ByteBuffer.allocate(21 + 15).put(0, (byte) 0x10).putInt(17, 1);
        assertThatExceptionOfType(BufferUnderflowException.class).isThrownBy(() -> GroupBlob.decode(cut));
    }
}
