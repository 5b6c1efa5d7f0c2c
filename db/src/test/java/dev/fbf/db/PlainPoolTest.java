package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainPoolTest {

    /** The pools themselves are tested with the starter, which has them on its class path. */
    @Test
    void aDataSourceThatMayLookAtItsCallerIsNone() {
        assertThat(PlainPool.is(StrangeConnections.dataSource(() -> {
                    throw new UnsupportedOperationException();
                })))
                .isFalse();
    }
}
