package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.group.GatheringQueue;
import dev.fbf.core.group.GroupMember;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The limit of what groups can win: callers gather as those of {@code SqlCounters} do, and one statement in autocommit adds the sums
 * of a group. Nothing tells a retry from a new operation.
 */
final class GroupedUpsert implements AutoCloseable {

    /** As of {@code SqlCounters}. */
    private static final int LARGEST = 256;

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final GatheringQueue<Waiting> queue = new GatheringQueue<>();
    private final DataSource dataSource;
    private final String upsert;
    private final Thread thread;

    GroupedUpsert(DataSource dataSource, GuardContender contender) {
        this.dataSource = dataSource;
        upsert = "INSERT INTO " + contender.counters() + " AS counter (id, value)"
                + " SELECT id, delta FROM unnest(?::integer[], ?::bigint[]) AS sums(id, delta) ORDER BY id"
                + " ON CONFLICT (id) DO UPDATE SET value = counter.value + excluded.value RETURNING id, value";
        thread = new Thread(this::run, "grouped-upsert");
        thread.setDaemon(true);
        thread.start();
    }

    /** One caller. */
    private static final class Waiting extends GroupMember {

        private final int counter;
        private @Nullable Long value;
        private @Nullable Exception failure;

        private Waiting(int counter) {
            this.counter = counter;
        }

        private void applied(@Nullable Long newValue) {
            value = newValue;
            end();
        }

        private void failed(Exception reason) {
            failure = reason;
            end();
        }

        @Override
        protected void abandoned() {
            failed(new IllegalStateException("no group took it within " + TIMEOUT));
        }
    }

    /** Returns when the group that has it is committed; each caller is told a value, as {@code SqlCounters} do. */
    void increment(int counter, String key) {
        Waiting waiting = new Waiting(counter);
        if (!queue.add(waiting) || !waiting.awaitEnd(TIMEOUT) || waiting.value == null) {
            throw new IllegalStateException("not applied: counter=" + counter, waiting.failure);
        }
    }

    private void run() {
        try {
            while (queue.awaitSome()) {
                List<Waiting> group = queue.take(GroupedUpsert::first);
                long begin = System.nanoTime();
                try {
                    apply(group);
                } catch (SQLException | RuntimeException e) {
                    group.forEach(waiting -> waiting.failed(e));
                }
                queue.ended(group.size(), System.nanoTime() - begin);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Waiting> first(Deque<Waiting> all) {
        List<Waiting> group = new ArrayList<>();
        while (!all.isEmpty() && group.size() < LARGEST) {
            Waiting next = all.remove();
            if (next.take()) {
                group.add(next);
            }
        }
        return group;
    }

    private void apply(List<Waiting> group) throws SQLException {
        Map<Integer, Long> sums = new HashMap<>();
        group.forEach(waiting -> sums.merge(waiting.counter, 1L, Math::addExact));
        Map<Integer, Long> values = new HashMap<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(upsert)) {
            statement.setArray(
                    1, connection.createArrayOf("integer", sums.keySet().toArray()));
            statement.setArray(
                    2, connection.createArrayOf("bigint", sums.values().toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    values.put(rows.getInt(1), rows.getLong(2));
                }
            }
        }
        group.forEach(waiting -> waiting.applied(values.get(waiting.counter)));
    }

    @Override
    public void close() {
        queue.close();
    }
}
