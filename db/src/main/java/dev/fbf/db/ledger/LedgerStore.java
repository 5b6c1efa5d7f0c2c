package dev.fbf.db.ledger;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.StoreException;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.counter.CounterRow;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Response;
import dev.fbf.db.group.GroupCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Store of ledger mode: the ledger has all applied operations, and its primary key decides. The recent operations save database work: an
 * operation that they do not contain needs no look-up, and a duplicate that they contain needs no transaction.
 */
public final class LedgerStore extends OperationStore {

    private static final Logger log = LoggerFactory.getLogger(LedgerStore.class);

    /** Half of the minute for which filter mode holds operations back until all processes have read a scope's new mode. */
    private static final Duration BETWEEN_PURGES = Duration.ofSeconds(30);

    private static final Duration LONGEST_RESPONSE = Duration.ofSeconds(30);

    /** The pause before a second look for a response that another node may be writing: longer than the pause between its batches. */
    private static final Duration RESPONSE_WRITTEN = Duration.ofMillis(100);

    private final Lookup lookup;
    final boolean sendsCommit;
    private final RecentOperations recent;
    private final @Nullable LedgerScopes scopes;
    private final @Nullable ResponseLog responses;
    private final Background rounds = new Background(
            "fbf-purge", "Expired operations cannot be purged from the ledger now", BETWEEN_PURGES, early -> {
                round();
                return BETWEEN_PURGES;
            });

    /** Whether a thread that keeps its connection has found an operation on a backend that is not trusted. */
    private volatile boolean distrusts;

    /** Null before the first connection. */
    private volatile @Nullable Ledger ledger;

    /** Executor of look-ups. */
    public interface Lookup {

        /** {@return whether this thread keeps a connection, in a transaction or an open session: it must not take a second one} */
        boolean holdsConnection();

        /** Executes a look-up on the connection that this thread holds, or else on a new one. */
        <T> @Nullable T ask(Question<T> question) throws SQLException;
    }

    @FunctionalInterface
    public interface Question<T> {

        @Nullable T ask(Connection connection) throws SQLException;
    }

    /**
     * Creates a store, to be started and closed.
     *
     * @param lookup queries the ledger on behalf of a caller
     * @param sendsCommit whether COMMIT can be sent with the last statement of a transaction, because its manager does nothing at COMMIT
     *     besides the connection's
     * @param recent the recent operations of this process
     * @param scopes the modes of the scopes, which are read again in each round of the purge; null if this process does not register
     * @param maxResponseBytes the heap limit of responses that are not written yet; 0 if none are kept
     * @param onFailure receives the failures of fbf statements
     */
    public LedgerStore(
            DataSource dataSource,
            FbfSchema schema,
            Lookup lookup,
            boolean sendsCommit,
            RecentOperations recent,
            @Nullable LedgerScopes scopes,
            long maxResponseBytes,
            Consumer<SQLException> onFailure) {
        super("ledger", dataSource, schema, onFailure);
        this.lookup = lookup;
        this.sendsCommit = sendsCommit;
        this.recent = recent;
        this.scopes = scopes;
        responses = maxResponseBytes > 0 ? new ResponseLog(dataSource, this::ledger, maxResponseBytes) : null;
    }

    /** Returns the ledger, by the dialect of the database and the schema of its tables, which the first connection shows. */
    Ledger ledger(Connection connection) throws SQLException {
        Ledger known = ledger;
        if (known != null) {
            return known;
        }
        schema.find(connection);
        return ledger();
    }

    private synchronized Ledger ledger() {
        Ledger known = ledger;
        if (known == null) {
            known = schema.ledger();
            ledger = known;
        }
        return known;
    }

    @Override
    public void check(Connection connection) throws SQLException {
        ledger(connection).check(connection, responses != null);
        if (scopes != null) {
            scopes.check(connection);
        }
    }

    @Override
    public void start() {
        if (responses != null) {
            responses.start();
        }
        rounds.start(BETWEEN_PURGES);
    }

    @Override
    protected void recordOne(Connection connection) throws SQLException {
        UUID unknown = UUID.randomUUID();
        OperationId id = new OperationId(unknown.getMostSignificantBits(), unknown.getLeastSignificantBits());
        Admission claim = new Claims(1, applied -> {}).take(id, "", BETWEEN_PURGES, null);
        ledger(connection).insert(connection, (Claim) claim, null, true);
    }

    @Override
    public OperationTransaction.Entries newEntries() {
        return new LedgerEntries(this);
    }

    /**
     * {@return an applied operation; null if it was not applied, or this thread's connection has found it on a backend that is not trusted
     * yet, and cannot be replaced}
     *
     * @param counter the counter whose value is read in place of the response, where the database can do so; null for none
     * @throws StoreException if the look-up fails
     */
    public Ledger.@Nullable Found find(OperationId id, @Nullable CounterRow counter) {
        try {
            Ledger.Found found = lookup.ask(
                    connection -> ledger(connection).find(connection, id.toUuid(), responses != null, counter));
            if (found == null) {
                return null;
            }
            Ledger its = ledger();
            if (!its.trusts(found) && !lookup.holdsConnection()) {
                SilenceLimit.inConnection(dataSource, LONGEST_RESPONSE, its::prove);
            }
            if (!its.trusts(found)) {
                distrusts = true;
                rounds.wake();
                return null;
            }
            if (!recent.mightContain(id)) {
                recent.put(id);
            }
            return found;
        } catch (SQLException e) {
            if (counter != null && !lookup.holdsConnection()) {
                return find(id, null); // the counter's table may be the reason, and its reader reports it
            }
            throw failed(e);
        }
    }

    /**
     * Forgets an applied operation and its response: the next attempt applies it again.
     *
     * @throws StoreException if that fails
     */
    public void forget(OperationId id) {
        try (Connection connection = dataSource.getConnection();
                OwnTransaction transaction = OwnTransaction.begin(connection)) {
            ledger(connection).forget(connection, id.toUuid());
            transaction.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** {@return the store for responses to requests whose operations were applied; null if none are kept} */
    public @Nullable Consumer<Response> responses(Duration retention) {
        return responses == null ? null : response -> responses.add(new Ledger.Kept(response, retention));
    }

    /** {@return the number of responses that were dropped since the start} */
    public long droppedResponses() {
        return responses == null ? 0 : responses.dropped();
    }

    /**
     * {@return the response to the request that applied an operation; null if it was not kept} Looks a second time for a response that
     * another node may be writing.
     *
     * @param applied the result of {@link #find}; null if there is none
     * @throws StoreException if the look-up fails
     */
    public @Nullable Response response(OperationId id, Ledger.@Nullable Found applied) {
        Response known = responses == null ? null : responses.find(id.toUuid());
        Ledger.Found its = applied;
        if (known == null && responses != null && (its == null || its.isAwaited())) {
            its = its == null || pause() ? find(id, null) : its;
        }
        known = known == null && its != null ? its.response() : known;
        return known != null && known.isKept() ? known : null;
    }

    private static boolean pause() {
        LockSupport.parkNanos(RESPONSE_WRITTEN.toNanos());
        return !Thread.currentThread().isInterrupted();
    }

    @Override
    protected GroupCommit.Applier applier(CounterRows counters) {
        return ledger().group(counters);
    }

    /** Proves what callers have found, reads the scopes' modes again, and deletes some of the expired operations and responses. */
    void round() throws SQLException {
        SilenceLimit.inConnection(dataSource, LONGEST_RESPONSE, connection -> {
            if (distrusts) {
                ledger(connection).prove(connection);
                distrusts = false;
            }
            if (scopes != null) {
                scopes.refresh(connection);
            }
            int purged = ledger(connection).purge(connection, rounds::isClosed);
            log.debug("Purged {} expired rows from fbf_ledger and fbf_response.", purged);
        });
    }

    @Override
    public void close() {
        if (responses != null) {
            responses.close();
        }
        super.close();
        rounds.close();
    }
}
