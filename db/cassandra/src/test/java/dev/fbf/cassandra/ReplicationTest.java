package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import org.junit.jupiter.api.Test;

class ReplicationTest {

    @Test
    void aKeyspaceThatForgetsIsRefused() {
        assertThatCode(new Replication("counters", true, "east")::check).doesNotThrowAnyException();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(new Replication("counters", false, "east")::check)
                .withMessageContaining("durable_writes = true");
    }

    @Test
    void localMajoritiesOfTwoDataCentersAreNotTheSame() {
        Replication east = new Replication("counters", true, "east");
        Replication west = new Replication("counters", true, "west");

        assertThat(east.deciding(Consistency.QUORUM)).isEqualTo(west.deciding(Consistency.QUORUM));
        assertThat(east.deciding(Consistency.LOCAL_QUORUM)).isNotEqualTo(west.deciding(Consistency.LOCAL_QUORUM));
    }
}
