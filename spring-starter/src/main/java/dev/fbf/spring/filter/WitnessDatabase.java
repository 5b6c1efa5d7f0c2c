package dev.fbf.spring.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.OperationStore;
import dev.fbf.db.witness.NodeLease;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.StartException;
import dev.fbf.spring.transaction.GuardedDatabase;
import dev.fbf.spring.transaction.NodeStatus;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Database whose transactions apply operations in filter mode. */
final class WitnessDatabase extends GuardedDatabase {

    private static final Logger log = LoggerFactory.getLogger(WitnessDatabase.class);

    /** Limit of the wait for a database's recovery at startup, for example if it responds but a witness's row is locked. */
    private static final Duration RECOVERY = Duration.ofSeconds(2);

    final WitnessStore witness;

    /** Lease of this node; null if other nodes are not checked. */
    final @Nullable NodeLease lease;

    private final Path directory;

    WitnessDatabase(Managed managed, WitnessedDatabase witnessed, @Nullable NodeLease lease, Path directory) {
        super(managed);
        witness = new WitnessStore(
                managed.dataSource(), managed.schema(), witnessed, managed.isPlain(), reachability::failed);
        this.lease = lease;
        this.directory = directory;
    }

    @Override
    protected OperationStore store() {
        return witness;
    }

    @Override
    protected void check(Connection connection) throws SQLException {
        super.check(connection);
        if (lease != null) {
            lease.check(connection);
        }
    }

    @Override
    protected void start() {
        witness.start();
        scopeOpened();
        if (lease != null) {
            lease.start();
        }
        reachability.start((connection, failed) -> {
            if (failed) {
                witness.probe(connection);
            }
        });
    }

    /** Waits for the recovery of the scopes that are open now, for at most {@link #RECOVERY}. */
    @Override
    protected void scopeOpened() {
        witness.awaitRecovered(RECOVERY);
    }

    @Override
    protected void register(OperationSettings settings, ScopeDefinition scope) {
        String other = lease == null ? null : lease.register(settings.scope());
        if (other != null) {
            throw new StartException(
                    "Another process applies operations of the scope " + settings.scope() + ": " + other
                            + ". This process would not recognize their retries, and would apply them again.",
                    "If several processes are meant to serve the scope, leave it in ledger mode in all of them."
                            + " Or let a load balancer always send each key to the same process, and give each"
                            + " process its own schema (property fbf.schema.name). If this process replaces the"
                            + " other one, stop the other one first, and give this one its directory (property"
                            + " fbf.directory, now " + directory.toAbsolutePath()
                            + "); if it was killed, and its directory"
                            + " is lost, start this one half a minute later.",
                    null);
        }
    }

    @Override
    protected void resume() {
        if (lease != null) {
            lease.resume();
        }
    }

    @Override
    protected void end() {
        if (lease != null) {
            lease.end();
        }
    }

    @Override
    protected void close() {
        super.close();
        if (lease != null) {
            lease.close();
        }
    }

    @Override
    protected List<String> refusals() {
        List<String> refusals = new ArrayList<>(lease == null ? List.of() : lease.obstacles());
        if (!witness.isReady()) {
            refusals.add("Database " + name + ": operations are refused until its table fbf_witness has been read.");
        }
        return refusals;
    }

    @Override
    protected List<NodeStatus.InDoubt> inDoubt() {
        return witness.inDoubt().stream()
                .map(transaction -> new NodeStatus.InDoubt(
                        name(transaction),
                        name,
                        transaction.operations().stream()
                                .map(OperationId::toString)
                                .toList(),
                        transaction.since()))
                .toList();
    }

    /** Returns the transaction's unique token as its name. */
    private static String name(WitnessedTransaction transaction) {
        return Long.toHexString(transaction.next());
    }

    @Override
    protected boolean decide(String transaction, boolean applied) {
        return witness.inDoubt().stream()
                .filter(inDoubt -> name(inDoubt).equals(transaction))
                .anyMatch(inDoubt -> decide(inDoubt, applied));
    }

    private static boolean decide(WitnessedTransaction transaction, boolean applied) {
        List<OperationId> operations = transaction.operations();
        boolean decided = transaction.decide(applied);
        if (decided) {
            log.warn(
                    "An operator has decided that the operations {} {} applied.",
                    operations,
                    applied ? "were" : "were not");
        }
        return decided;
    }
}
