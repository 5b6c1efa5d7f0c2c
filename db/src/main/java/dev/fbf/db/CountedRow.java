package dev.fbf.db;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A counter after a group has added to it.
 *
 * @param id its key, as it is in the table
 * @param value its value
 */
record CountedRow(String id, long value) {

    /** Tells each of the increments that were applied the value that it made, as if they had come one after another. */
    static void tell(List<GroupedIncrement> applied, List<CountedRow> rows) {
        Map<String, Long> values = new HashMap<>();
        for (int i = applied.size() - 1; i >= 0; i--) {
            CountedRow row = rows.get(i);
            long value = values.getOrDefault(row.id, row.value);
            values.put(row.id, value - applied.get(i).delta());
            applied.get(i).done(new GroupOutcome.Applied(value));
        }
    }
}
