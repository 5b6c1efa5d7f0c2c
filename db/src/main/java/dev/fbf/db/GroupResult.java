package dev.fbf.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a group's statement says of its counters, by their ordinals. */
final class GroupResult {

    private final List<String> counters;
    private final Set<String> missed;
    private final Map<String, Long> values = new HashMap<>();

    /** Of a statement that was sent these, in this order. */
    GroupResult(Collection<String> counters) {
        this.counters = List.copyOf(counters);
        missed = new LinkedHashSet<>(counters);
    }

    /** Of a statement that has added to all counters. */
    static GroupResult of(Map<String, Long> values) {
        GroupResult result = new GroupResult(List.of());
        result.values.putAll(values);
        return result;
    }

    /** Reads a row whose column has the ordinal of a counter, and the next one its value. */
    void read(ResultSet row, int column) throws SQLException {
        String counter = counters.get(row.getInt(column) - 1);
        missed.remove(counter);
        long value = row.getLong(column + 1);
        if (!row.wasNull()) {
            values.put(counter, value);
        }
    }

    /** The counters whose rows were not locked. If there are any, nothing was done. */
    Set<String> missed() {
        return missed;
    }

    /** Those of the counters that were added to. */
    Map<String, Long> values() {
        return values;
    }
}
