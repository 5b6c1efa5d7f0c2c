package dev.fbf.cassandra;

import static java.util.Objects.requireNonNull;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Statements on the table of lanes, for one scope. The driver does not repeat a batch that may have been applied. Thread-safe. */
final class LaneTable {

    static final String NAME = "fbf_lane";

    /** Partition with the settings that all nodes of a scope share; its {@code seq} is the number of lanes. */
    private static final int COMMON = -1;

    private static final byte COUNTER = 0;
    private static final byte GROUP = 1;

    /** Kind of the rows with the operations that nodes forward, by the nodes' names. */
    private static final byte FORWARDED = 2;

    private static final int SECONDS_FORWARDED = 2;

    /** Kind of the row with the deciding replicas, in the common partition. */
    private static final byte REPLICAS = 3;

    /** Option that overrides the table's {@code default_time_to_live}. */
    private static final String FOR_EVER = " USING TTL 0";

    /** Cassandra's name for the column that shows whether a conditional batch was applied. */
    private static final String APPLIED = "[applied]";

    private static final int NAMES_IN_A_READ = 100;

    /** Page size, in place of the session's. */
    private static final int ROWS_IN_A_PAGE = 1_000;

    private final CqlSession session;
    private final LaneSettings settings;
    private final Coordinators coordinators;
    private final PreparedStatement readSeq;
    private final PreparedStatement readGroups;
    private final PreparedStatement readGroupsAfter;
    private final PreparedStatement readValues;
    private final PreparedStatement readShares;
    private final PreparedStatement advance;
    private final PreparedStatement addGroup;
    private final PreparedStatement setValue;
    private final PreparedStatement readWritten;
    private final PreparedStatement forward;
    private final PreparedStatement readForwarded;
    private final PreparedStatement addReplicas;
    private final PreparedStatement readReplicas;

    /**
     * The decision on a batch.
     *
     * @param applied whether this batch was applied
     * @param seq the number of groups in the lane, including this one if it was applied
     */
    record Decision(boolean applied, long seq) {}

    /**
     * The settings that all nodes of a scope must share: otherwise each node would decide by itself.
     *
     * @param lanes the number of the scope's lanes
     * @param replicas the replicas that decide
     */
    record Common(long lanes, String replicas) {}

    /**
     * A stored group.
     *
     * @param number its number in its lane
     * @param secondsLeft its remaining time to live
     * @param written the time at which its batch was written, by Cassandra's clocks
     * @param group its operations
     */
    record Stored(long number, int secondsLeft, long written, GroupBlob group) {}

    LaneTable(CqlSession session, LaneSettings settings) {
        this.session = session;
        this.settings = settings;
        coordinators = new Coordinators(settings.scope(), this::replicas, System::nanoTime);
        String lane = " WHERE scope = :scope AND lane = :lane";
        readSeq = session.prepare("SELECT seq FROM " + NAME + lane + " LIMIT 1");
        String groups =
                "SELECT name, operations, ttl(operations) AS seconds_left, writetime(operations) AS written FROM "
                        + NAME + lane + " AND kind = " + GROUP;
        readGroups = session.prepare(groups + " AND name > :after AND name <= :upto");
        readGroupsAfter = session.prepare(groups + " AND name > :after");
        readValues = session.prepare(
                "SELECT name, value FROM " + NAME + lane + " AND kind = " + COUNTER + " AND name IN :names");
        readWritten = session.prepare("SELECT name, writetime(value) AS written FROM " + NAME + lane + " AND kind = "
                + COUNTER + " AND name IN :names");
        readShares = session.prepare("SELECT name FROM " + NAME + lane + " AND kind = " + COUNTER + " LIMIT 1");
        advance = session.prepare("UPDATE " + NAME + FOR_EVER + " SET seq = :next" + lane + " IF seq = :seq");
        addGroup =
                session.prepare("INSERT INTO " + NAME + " (scope, lane, kind, name, operations) VALUES (:scope, :lane, "
                        + GROUP + ", :number, :operations) USING TTL :seconds");
        setValue = session.prepare("UPDATE " + NAME + FOR_EVER + " SET value = :value" + lane + " AND kind = " + COUNTER
                + " AND name = :name");
        forward =
                session.prepare("INSERT INTO " + NAME + " (scope, lane, kind, name, operations) VALUES (:scope, :lane, "
                        + FORWARDED + ", :node, :operations) USING TTL " + SECONDS_FORWARDED);
        readForwarded = session.prepare("SELECT name, operations FROM " + NAME + lane + " AND kind = " + FORWARDED);
        addReplicas =
                session.prepare("INSERT INTO " + NAME + " (scope, lane, kind, name, operations) VALUES (:scope, :lane, "
                        + REPLICAS + ", :replicas, :nothing)" + FOR_EVER);
        readReplicas = session.prepare("SELECT name FROM " + NAME + lane + " AND kind = " + REPLICAS);
    }

    /** Stores the scope's common settings if there are none; returns the stored ones. */
    Common agree(Common wanted) {
        Decision first = setCommon(wanted, null);
        if (first.applied) {
            return wanted;
        }
        String replicas = replicas(wanted.replicas);
        if (replicas == null && first.seq == wanted.lanes) { // an operator deleted the setting
            setCommon(wanted, wanted.lanes);
            replicas = replicas(wanted.replicas);
        }
        return new Common(first.seq, replicas == null ? wanted.replicas : replicas);
    }

    private Decision setCommon(Common wanted, @Nullable Long seq) {
        BatchStatement batch = BatchStatement.builder(BatchType.LOGGED)
                .addStatement(
                        bind(advance, COMMON).setLong("next", wanted.lanes).set("seq", seq, Long.class))
                .addStatement(bind(addReplicas, COMMON)
                        .setString("replicas", wanted.replicas)
                        .setByteBuffer("nothing", ByteBuffer.allocate(0)))
                .build();
        return decide(session.execute(serial(batch)), wanted.lanes);
    }

    /** Returns a replication that differs from the wanted one if there is one, else the wanted one; null if none is set. */
    private @Nullable String replicas(String wanted) {
        String found = null;
        for (Row row : known(session.execute(serialRead(bind(readReplicas, COMMON))))) {
            found = row.getString("name");
            if (!wanted.equals(found)) {
                return found;
            }
        }
        return found;
    }

    /** Reads the number of groups in a lane, and completes a group that is being decided. */
    long seq(int lane) {
        return seq(readSerially(lane, bind(readSeq, lane)).one());
    }

    private static long seq(@Nullable Row row) {
        // the response to a batch lacks this column if the lane is empty
        return row == null || !row.getColumnDefinitions().contains("seq") || row.isNull("seq") ? 0 : row.getLong("seq");
    }

    /** Returns whether any counter has a value in the lane. */
    boolean hasShares(int lane) {
        return readSerially(lane, bind(readShares, lane)).one() != null;
    }

    /** Reads the groups of an interval that have not expired, in their order. */
    Iterable<Stored> groups(int lane, long after, long upTo) {
        BoundStatement statement =
                bind(readGroups, lane).setString("after", name(after)).setString("upto", name(upTo));
        return readSerially(lane, statement).map(LaneTable::stored);
    }

    /**
     * Reads the groups after a known one from the lane's coordinator, without completing a group that is being decided. Each group that is
     * returned has been committed; a later one may have been committed too. A majority of the replicas may not have it yet.
     */
    Iterable<Stored> recentGroups(int lane, long after) {
        return known(coordinated(lane, hint(bind(readGroupsAfter, lane).setString("after", name(after)))))
                .map(LaneTable::stored);
    }

    /** Returns whether a majority of the replicas now has the counters' values that were written at these times, or later ones. */
    boolean isVisible(int lane, Map<String, Long> written) {
        AtomicInteger visible = new AtomicInteger();
        eachRead(
                readWritten,
                lane,
                written.keySet(),
                statement -> known(coordinated(lane, plain(statement))).forEach(row -> {
                    if (row.getLong("written") >= written.getOrDefault(row.getString("name"), Long.MAX_VALUE)) {
                        visible.incrementAndGet();
                    }
                }));
        return visible.get() == written.size();
    }

    private static Stored stored(Row row) {
        return new Stored(
                Long.parseLong(row.getString("name"), 16),
                row.getInt("seconds_left"),
                row.getLong("written"),
                GroupBlob.decode(requireNonNull(row.getByteBuffer("operations"))));
    }

    /** Reads the values of those counters that have one in the lane, after completing a group that is being decided. */
    Map<String, Long> values(int lane, Collection<String> counters) {
        Map<String, Long> values = new HashMap<>();
        eachRead(
                readValues,
                lane,
                counters,
                statement -> readSerially(lane, statement)
                        .forEach(row -> values.put(row.getString("name"), row.getLong("value"))));
        return values;
    }

    /**
     * Returns the sums of the values of those counters that have one in a lane, over all lanes except one.
     *
     * @param except the number of that lane; negative for none
     */
    Map<String, Long> sums(Collection<String> counters, int except) {
        List<CompletionStage<AsyncResultSet>> reads = new ArrayList<>();
        IntStream.range(0, settings.lanes())
                .filter(lane -> lane != except)
                .forEach(lane -> eachRead(
                        readValues, lane, counters, statement -> reads.add(session.executeAsync(plain(statement)))));
        Map<String, Long> sums = new HashMap<>();
        for (CompletionStage<AsyncResultSet> read : reads) {
            AsyncResultSet page = result(read);
            requireColumns(page.getColumnDefinitions());
            add(page, sums);
            while (page.hasMorePages()) {
                page = result(page.fetchNextPage());
                add(page, sums);
            }
        }
        return sums;
    }

    private static void add(AsyncResultSet page, Map<String, Long> sums) {
        for (Row row : page.currentPage()) {
            sums.merge(row.getString("name"), row.getLong("value"), Long::sum);
        }
    }

    private static AsyncResultSet result(CompletionStage<AsyncResultSet> read) {
        try {
            return read.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw failure.copy();
            }
            throw e;
        }
    }

    private void eachRead(
            PreparedStatement statement, int lane, Collection<String> counters, Consumer<BoundStatement> read) {
        List<String> all = List.copyOf(counters);
        for (int i = 0; i < all.size(); i += NAMES_IN_A_READ) {
            List<String> names = all.subList(i, Math.min(all.size(), i + NAMES_IN_A_READ));
            read.accept(bind(statement, lane).setList("names", names, String.class));
        }
    }

    /** Forwards operations to the leader of a lane, in place of the operations that this node forwarded before. */
    void forward(int lane, ForwardedGroup group) {
        coordinated(
                lane,
                hint(bind(forward, lane)
                        .setString("node", String.format(Locale.ROOT, "%08x", group.node()))
                        .setByteBuffer("operations", group.encode())));
    }

    /** Starts reading the groups that nodes forward. */
    CompletionStage<List<ForwardedGroup>> forwarded(int lane) {
        BoundStatement statement = hint(bind(readForwarded, lane)).setNode(coordinators.choose(lane));
        return session.executeAsync(statement).thenApply(rows -> {
            List<ForwardedGroup> groups = new ArrayList<>();
            for (Row row : rows.currentPage()) {
                int node = Integer.parseUnsignedInt(row.getString("name"), 16);
                ByteBuffer operations = row.getByteBuffer("operations");
                ForwardedGroup group = operations == null ? null : ForwardedGroup.decode(node, operations);
                if (group != null) {
                    groups.add(group);
                }
            }
            return groups;
        });
    }

    /** Creates the batch that commits a group on condition that the lane has {@code seq} groups. */
    BatchStatement batch(int lane, long seq, GroupBlob group, Map<String, Long> values) {
        BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
        BoundStatement condition = bind(advance, lane).setLong("next", seq + 1);
        batch.addStatement(seq == 0 ? condition.setToNull("seq") : condition.setLong("seq", seq));
        batch.addStatement(bind(addGroup, lane)
                .setString("number", name(seq + 1))
                .setByteBuffer("operations", group.encode())
                .setInt("seconds", settings.secondsKept()));
        values.forEach((counter, value) -> batch.addStatement(
                bind(setValue, lane).setString("name", counter).setLong("value", value)));
        return batch.build();
    }

    /** Sends a batch. After an error, the batch may have been applied, or may still be. */
    Decision commit(int lane, BatchStatement batch, long seq) {
        return decide(coordinated(lane, serial(batch)), seq + 1);
    }

    private static Decision decide(ResultSet result, long seqIfApplied) {
        Row row = result.one();
        if (row == null || !row.getColumnDefinitions().contains(APPLIED)) {
            throw ignored();
        }
        return row.getBoolean(APPLIED) ? new Decision(true, seqIfApplied) : new Decision(false, seq(row));
    }

    /** Checks that the response has columns; it may have no rows. */
    private static ResultSet known(ResultSet result) {
        requireColumns(result.getColumnDefinitions());
        return result;
    }

    /**
     * Checks that a response came from Cassandra.
     *
     * @throws DriverException if the driver created it in place of an error
     */
    private static void requireColumns(ColumnDefinitions columns) {
        if (columns.size() == 0) {
            throw ignored();
        }
    }

    private static DriverException ignored() {
        return new DriverTimeoutException(
                "The response of Cassandra is empty, so the outcome is unknown: a RetryPolicy of this session ignores"
                        + " errors (RetryVerdict.IGNORE). Use the driver's default policy for fbf's session.");
    }

    private BoundStatement bind(PreparedStatement statement, int lane) {
        return statement.bind().setString("scope", settings.scope()).setInt("lane", lane);
    }

    private <S extends Statement<S>> S serial(S write) {
        return write.setConsistencyLevel(settings.consistency().plain())
                .setSerialConsistencyLevel(settings.consistency().serial())
                .setTimeout(settings.timeout())
                .setIdempotent(false);
    }

    private ResultSet readSerially(int lane, BoundStatement read) {
        return known(coordinated(lane, serialRead(read)));
    }

    private <S extends Statement<S>> ResultSet coordinated(int lane, S statement) {
        Node node = coordinators.choose(lane);
        try {
            return session.execute(statement.setNode(node));
        } catch (DriverException e) {
            if (node != null && !(e instanceof QueryValidationException)) {
                coordinators.failed(node);
            }
            throw e;
        }
    }

    private Set<Node> replicas(int lane) {
        BoundStatement any = bind(readSeq, lane);
        ByteBuffer key = any.getRoutingKey();
        TokenMap tokens = session.getMetadata().getTokenMap().orElse(null);
        return key == null || tokens == null
                ? Set.of()
                : tokens.getReplicas(readSeq.getVariableDefinitions().get(0).getKeyspace(), key);
    }

    private BoundStatement serialRead(BoundStatement read) {
        return read.setConsistencyLevel(settings.consistency().serial())
                .setPageSize(ROWS_IN_A_PAGE)
                .setTimeout(settings.timeout())
                .setIdempotent(true);
    }

    /** Prepares a statement on whose replicas no decision depends. */
    private BoundStatement hint(BoundStatement statement) {
        return plain(statement).setConsistencyLevel(DefaultConsistencyLevel.LOCAL_ONE);
    }

    private BoundStatement plain(BoundStatement statement) {
        return statement
                .setConsistencyLevel(settings.consistency().plain())
                .setPageSize(ROWS_IN_A_PAGE)
                .setTimeout(settings.timeout())
                .setIdempotent(true);
    }

    /** Returns text that sorts like the numbers. */
    private static String name(long number) {
        return String.format(Locale.ROOT, "%016x", number);
    }
}
