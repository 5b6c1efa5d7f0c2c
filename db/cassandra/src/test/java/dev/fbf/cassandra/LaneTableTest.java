package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.cassandra.LaneTable.Recent;
import dev.fbf.core.filter.FilterSizing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements on a real node. */
@Timeout(120)
class LaneTableTest {

    @RegisterExtension
    static final CassandraForTests cassandra = new CassandraForTests();

    private LaneTable table;

    @BeforeEach
    void open(TestInfo test) {
        String scope = test.getTestMethod().orElseThrow().getName();
        table = new LaneTable(
                cassandra.session(),
                new LaneSettings(scope, new FilterSizing(1_000, Duration.ofMinutes(2), 1e-9).plan()));
    }

    private void commit(long seq, String counter, long value) {
        GroupBlob group = new GroupBlob(1, (int) seq, 0, false, List.of());
        assertThat(table.commit(0, table.batch(0, seq, group, Map.of(counter, value)), seq)
                        .applied())
                .isTrue();
    }

    @Test
    void oneReadHasTheNextGroupsAndTheValuesAfterThem() {
        commit(0, "page", 10);
        commit(1, "other", 20);
        commit(2, "page", 30);

        Recent recent = table.recent(0, 1, Set.of("page", "other", "new"));

        assertThat(recent.seq()).isEqualTo(3);
        assertThat(recent.next()).extracting(LaneTable.Stored::number).containsExactly(2L, 3L);
        assertThat(recent.asked()).containsExactlyInAnyOrder("page", "other", "new");
        assertThat(recent.values()).isEqualTo(Map.of("page", 30L, "other", 20L));
    }

    @Test
    void tooManyGroupsForOneReadLeaveTheNumberOfAll() {
        for (long seq = 0; seq < 20; seq++) {
            commit(seq, "page", seq + 1);
        }

        Recent recent = table.recent(0, 1, Set.of("page"));

        assertThat(recent.seq()).isEqualTo(20);
        assertThat(recent.next()).hasSize(16);
        assertThat(recent.values()).isEqualTo(Map.of("page", 20L));
    }

    @Test
    void anEmptyLaneHasNoGroups() {
        assertThat(table.recent(0, 0, Set.of("page"))).isEqualTo(new Recent(0, List.of(), List.of("page"), Map.of()));
    }

    @Test
    void aReadWithoutCountersHasTheGroupsAlone() {
        commit(0, "page", 1);

        assertThat(table.recent(0, 0, Set.of()).next()).hasSize(1);
    }
}
