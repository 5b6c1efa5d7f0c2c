package dev.fbf.db.group;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The counters that a group's statement has locked and changed, read by their ordinals. */
public final class GroupResult {

    private final List<String> counters;
    private final Set<String> missed;
    private final Map<String, Long> values = new HashMap<>();

    /** Creates the result of a statement that was sent these counters, in this order. */
    public GroupResult(Collection<String> counters) {
        this.counters = List.copyOf(counters);
        missed = new LinkedHashSet<>(counters);
    }

    /** Returns the result of a statement that has added to all counters. */
    public static GroupResult of(Map<String, Long> values) {
        GroupResult result = new GroupResult(List.of());
        result.values.putAll(values);
        return result;
    }

    /** Reads a row whose column has the ordinal of a counter, and the next one its value. */
    public void read(ResultSet row, int column) throws SQLException {
        String counter = counters.get(row.getInt(column) - 1);
        missed.remove(counter);
        long value = row.getLong(column + 1);
        if (!row.wasNull()) {
            values.put(counter, value);
        }
    }

    /** The counters whose rows were not locked. If there are any, no increment was applied. */
    public Set<String> missed() {
        return missed;
    }

    /** The new values of the counters that were added to. */
    public Map<String, Long> values() {
        return values;
    }
}
