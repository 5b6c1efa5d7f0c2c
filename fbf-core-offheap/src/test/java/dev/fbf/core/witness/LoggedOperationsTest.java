package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoggedOperationsTest {

    private static final OperationId ID = new OperationId(1, 2);

    @Test
    void areRestoredWithTheRequestsThatAskedForThemAndTheirTimes() {
        LoggedOperations operations = new LoggedOperations();
        RecordedFilter filter = new RecordedFilter();
        OperationId high = new OperationId(3, 0);
        OperationId low = new OperationId(0, 3);

        operations.add(entry(ID, high, 1_000));
        operations.add(entry(ID, low, 2_000));
        operations.add(entry(ID, null, 3_000));
        operations.restoreIn(filter);

        assertThat(filter.calls)
                .containsExactly(
                        "operation " + ID + " of request " + high + " at 1000",
                        "operation " + ID + " of request " + low + " at 2000",
                        "operation " + ID + " of request null at 3000");
    }

    @Test
    void areRestoredInTheirOrderHoweverManyThereAre() {
        LoggedOperations operations = new LoggedOperations();
        RecordedFilter filter = new RecordedFilter();
        List<OperationId> ids =
                IntStream.range(0, 5_000).mapToObj(i -> new OperationId(i, -i)).toList();

        ids.forEach(id -> operations.add(entry(id, null, 7)));
        operations.restoreIn(filter);

        assertThat(filter.calls)
                .isEqualTo(ids.stream()
                        .map(id -> "operation " + id + " of request null at 7")
                        .toList());
    }

    private static Entry entry(OperationId id, @Nullable OperationId request, long millis) {
        return new Entry(0, id, 1, 1, 0, 10, 11, millis, request);
    }
}
