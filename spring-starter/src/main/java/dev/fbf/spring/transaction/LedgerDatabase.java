package dev.fbf.spring.transaction;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.Reachability;
import dev.fbf.db.ledger.LedgerScopes;
import dev.fbf.db.ledger.LedgerStore;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.StartException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Database whose transactions apply operations in ledger mode. */
final class LedgerDatabase extends GuardedDatabase implements LedgerStore.Lookup {

    private static final Logger log = LoggerFactory.getLogger(LedgerDatabase.class);

    final LedgerStore ledger;

    /** The scopes' modes; null if this process does not register. */
    final @Nullable LedgerScopes scopes;

    private final FbfSchema schema;
    private final SchemaMigration migration;
    private final boolean enabled;

    /** @param registers whether this process records the mode of its scopes */
    LedgerDatabase(
            Managed managed,
            FbfProperties properties,
            SchemaMigration migration,
            RecentOperations recent,
            boolean registers) {
        super(managed);
        schema = managed.schema();
        this.migration = migration;
        enabled = properties.enabled();
        scopes = registers && enabled ? new LedgerScopes(schema) : null;
        ledger = new LedgerStore(
                dataSource,
                schema,
                this,
                managed.isPlain(),
                recent,
                scopes,
                enabled ? properties.responses().memory() : 0,
                reachability::failed);
    }

    @Override
    protected OperationStore store() {
        return ledger;
    }

    /** Without a guard, fbf's tables are needed for these counters only. */
    @Override
    protected synchronized void useOwnCounters() {
        if (!enabled) {
            migration.migrate(dataSource, Mode.LEDGER);
        }
    }

    @Override
    protected void start() {
        if (!enabled) {
            return;
        }
        ledger.start();
        reachability.start(new Reachability.Remedies() {
            @Override
            public void reached(Connection connection, boolean failed) throws SQLException {
                if (failed) {
                    ledger.probe(connection);
                }
                if (scopes != null) {
                    scopes.registerUnread(connection);
                }
            }

            @Override
            public void createTables() {
                try {
                    migration.migrateAgain(name, dataSource, schema);
                } catch (RuntimeException e) {
                    log.debug("The tables cannot be created again.", e); // their absence is in the log already
                }
            }
        });
    }

    /** Reads the scope's mode. A thread that keeps its connection only reads it there: the next round of the purge writes a missing row. */
    @Override
    protected void register(OperationSettings settings, ScopeDefinition scope) {
        LedgerScopes its = scopes;
        if (its == null || its.refusal(settings.scope()) != Refusal.UNCONFIRMED) {
            return;
        }
        its.add(settings.scope(), scope.retryWindow());
        boolean isCallers = holdsConnection();
        String reason;
        try {
            reason = ask(connection -> {
                if (isCallers) {
                    its.read(connection, settings.scope(), scope.retryWindow());
                    return null;
                }
                return its.register(connection, settings.scope(), scope.retryWindow());
            });
        } catch (SQLException e) {
            log.debug("The mode of the scope {} is read later.", settings.scope(), e);
            return;
        }
        if (reason != null) {
            throw new StartException(
                    reason,
                    "Its operations are not in the ledger: stop that process first. UPGRADING.md describes a change of"
                            + " the mode.",
                    null);
        }
    }

    @Override
    protected List<String> refusals() {
        return scopes == null ? List.of() : scopes.obstacles();
    }

    /** Asks the database, because the caller may have rolled back to a savepoint of its own. */
    @Override
    protected boolean transactionApplies(OperationId id) {
        GuardedTransaction current = transactions.current();
        try {
            return current != null && current.stillApplies(id);
        } catch (SQLException e) {
            throw ledger.failed(e);
        }
    }
}
