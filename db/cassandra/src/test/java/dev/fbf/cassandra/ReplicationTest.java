package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplicationTest {

    private static Replication of(Map<String, Integer> factors, boolean durable) {
        return new Replication("counters", factors, durable, "east");
    }

    @Test
    void aKeyspaceWithReplicasInTheLocalDataCenterIsRight() {
        for (Consistency consistency : Consistency.values()) {
            assertThatCode(() -> of(Map.of("east", 3, "west", 3), true).check(consistency))
                    .doesNotThrowAnyException();
            assertThatCode(() -> of(Map.of(Replication.ANYWHERE, 1), true).check(consistency))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aKeyspaceThatForgetsIsRefused() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> of(Map.of("east", 3), false).check(Consistency.QUORUM))
                .withMessageContaining("durable_writes = true");
    }

    @Test
    void localMajoritiesOfTwoDataCentersAreNotTheSame() {
        Replication east = of(Map.of("east", 3, "west", 3), true);
        Replication west = new Replication("counters", east.factors(), true, "west");

        assertThat(east.deciding(Consistency.QUORUM)).isEqualTo(west.deciding(Consistency.QUORUM));
        assertThat(east.deciding(Consistency.LOCAL_QUORUM)).isNotEqualTo(west.deciding(Consistency.LOCAL_QUORUM));
    }
}
