package dev.fbf.cassandra;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForwardedGroupTest {

    private static final OperationId ID = new OperationId(1, -2);
    private static final OperationId OTHER = new OperationId(-3, 4);

    private final ForwardedGroup group = new ForwardedGroup(
            -1,
            7,
            1L << 40,
            List.of(
                    new LaneIncrement(
                            new GroupBlob.Entry(ID, 8L),
                            null,
                            Map.of("page", -1L, "\u20ac".repeat(1_000), Long.MAX_VALUE)),
                    new LaneIncrement(new GroupBlob.Entry(OTHER, null), null, Map.of("page", 5L))));

    @Test
    void whatIsDecodedIsWhatWasEncoded() {
        ForwardedGroup decoded = requireNonNull(ForwardedGroup.decode(-1, group.encode()));

        assertThat(decoded.number()).isEqualTo(7);
        assertThat(decoded.seq()).isEqualTo(1L << 40);
        assertThat(decoded.increments())
                .extracting(LaneIncrement::entry)
                .containsExactly(new GroupBlob.Entry(ID, 8L), new GroupBlob.Entry(OTHER, null));
        assertThat(decoded.increments())
                .extracting(LaneIncrement::deltas)
                .isEqualTo(
                        group.increments().stream().map(LaneIncrement::deltas).toList());
    }

    @Test
    void aFormatOfAnotherVersionIsIgnored() {
        ByteBuffer newer = group.encode();
        newer.put(0, (byte) 0x20);

        assertThat(ForwardedGroup.decode(1, newer)).isNull();
        assertThat(ForwardedGroup.decode(1, ByteBuffer.allocate(0))).isNull();
    }
}
