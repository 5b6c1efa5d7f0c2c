package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationStore;
import dev.fbf.db.witness.NodeLease;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/** Database whose transactions apply operations in filter mode. */
final class WitnessDatabase extends GuardedDatabase {

    /** Limit of the wait for a database's recovery at startup, for example if it responds but a witness's row is locked. */
    private static final Duration RECOVERY = Duration.ofSeconds(2);

    final WitnessStore witness;

    /** Lease of this node; null if other nodes are not checked. */
    final @Nullable NodeLease lease;

    private final OwnTables tables;
    private final Path directory;

    WitnessDatabase(
            String name,
            String dataSourceName,
            PlatformTransactionManager manager,
            DataSource dataSource,
            GuardedTransactions transactions,
            WitnessStore witness,
            @Nullable NodeLease lease,
            Path directory) {
        super(name, dataSourceName, manager, dataSource, transactions);
        this.witness = witness;
        this.lease = lease;
        this.directory = directory;
        tables = new OwnTables(dataSourceName, witness);
    }

    @Override
    OperationStore store() {
        return witness;
    }

    @Override
    void check(Connection connection) throws SQLException {
        super.check(connection);
        if (lease != null) {
            lease.check(connection);
        }
    }

    @Override
    void start() {
        witness.start();
        awaitRecovered();
        if (lease != null) {
            lease.start();
            reachability.start((connection, failed) -> {});
        }
    }

    /** Waits for the recovery of the scopes that are open now, for at most {@link #RECOVERY}. */
    void awaitRecovered() {
        witness.awaitRecovered(RECOVERY);
    }

    @Override
    void register(OperationSettings settings, ScopeDefinition scope) {
        String other = lease == null ? null : lease.register(settings.scope());
        if (other != null) {
            throw OtherNodeException.ofFilterMode(settings.scope(), other, directory);
        }
    }

    @Override
    void resume() {
        if (lease != null) {
            lease.resume();
        }
    }

    @Override
    void end() {
        if (lease != null) {
            lease.end();
        }
    }

    @Override
    void close() {
        super.close();
        if (lease != null) {
            lease.close();
        }
    }

    @Override
    @Nullable String obstacle() {
        String unreachable = super.obstacle();
        return unreachable != null ? unreachable : tables.obstacle();
    }

    @Override
    List<String> refusals() {
        List<String> refusals = new ArrayList<>(lease == null ? List.of() : lease.obstacles());
        if (!witness.isReady()) {
            refusals.add("Database " + dataSourceName
                    + ": operations are refused until its table fbf_witness has been read.");
        }
        return refusals;
    }

    @Override
    boolean isReady() {
        return witness.isReady()
                && reachability.obstacle() == null
                && tables.seemUsable()
                && (lease == null || lease.admitsAll());
    }

    /** Returns whether COMMIT of this thread's transaction applies an operation. */
    boolean transactionApplies(OperationId id) {
        GuardedTransaction current = transactions.current();
        return current != null && current.applies(id);
    }

    /** Returns {@link Refusal#UNRECORDABLE} for a failure caused by unusable tables of fbf; otherwise null. */
    @Override
    @Nullable Refusal unrecordability(Throwable failure) {
        return tables.areReasonFor(failure) ? Refusal.UNRECORDABLE : null;
    }
}
