package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.operation.StartException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/** Databases in which guarded methods apply their operations: one per transaction manager and mode. Thread-safe. */
final class GuardedDatabases {

    private static final Logger log = LoggerFactory.getLogger(GuardedDatabases.class);

    private final TransactionManagers managers;
    private final FbfProperties properties;
    private final Scopes scopes;
    private final SchemaMigration migration;
    private final Map<Mode, GuardedMode> modes = new EnumMap<>(Mode.class);

    private final Map<Name, GuardedDatabase> byName = new ConcurrentHashMap<>();

    /** Listeners per manager, for all modes from its first use: those of a mode used later also know transactions that began before. */
    private final Map<String, Map<Mode, GuardedTransactions>> byManager = new HashMap<>();

    /** Called after a database was opened. */
    volatile Consumer<GuardedDatabase> onOpened = database -> {};
    /** Lock in place of a monitor, which would pin a virtual thread that waits for the database. */
    private final ReentrantLock lock = new ReentrantLock();

    /** A transaction manager, with a mode. */
    private record Name(String manager, Mode mode) {}

    GuardedDatabases(
            ListableBeanFactory beans,
            FbfProperties properties,
            Scopes scopes,
            SchemaMigration migration,
            List<GuardedMode> modes) {
        managers = new TransactionManagers(beans);
        this.properties = properties;
        this.scopes = scopes;
        this.migration = migration;
        modes.forEach(mode -> this.modes.put(mode.mode(), mode));
    }

    /**
     * Finds the database of operations; the first call opens it.
     *
     * @throws StartException if there is no database that can be guarded, or fbf's tables cannot be used
     * @throws RuntimeException as {@link SchemaMigration#migrate}, if they cannot be created
     */
    GuardedDatabase of(OperationSettings settings) {
        PlatformTransactionManager manager = managers.of(settings);
        Name name =
                new Name(managers.nameOf(manager), scopes.of(settings.scope()).mode());
        GuardedDatabase known = byName.get(name);
        return known != null ? known : open(name, manager, settings);
    }

    Collection<GuardedMode> modes() {
        return modes.values();
    }

    /**
     * Returns the mode of a scope. Without a guard, there is only ledger mode.
     *
     * @throws StartException if filter mode is missing
     */
    GuardedMode modeOf(String scope) {
        GuardedMode mode = modes.get(properties.enabled() ? scopes.of(scope).mode() : Mode.LEDGER);
        if (mode == null) {
            throw new StartException(
                    "The scope " + scope
                            + " is in filter mode, which Spring left out when it processed the application ahead"
                            + " of time.",
                    "Set the mode where the application is built, too.",
                    null);
        }
        return mode;
    }

    Collection<GuardedDatabase> all() {
        return byName.values();
    }

    private GuardedDatabase open(Name name, PlatformTransactionManager manager, OperationSettings settings) {
        lock.lock();
        try {
            GuardedDatabase known = byName.get(name);
            if (known != null) {
                return known;
            }
            GuardedDatabase opened = openFirst(name, manager, settings);
            byName.put(name, opened);
            onOpened.accept(opened);
            return opened;
        } finally {
            lock.unlock();
        }
    }

    private GuardedDatabase openFirst(Name called, PlatformTransactionManager manager, OperationSettings settings) {
        if (!(manager instanceof ConfigurableTransactionManager configurable)) {
            throw new StartException(
                    settings,
                    "the transaction manager " + called.manager + " does not report how its transactions end.",
                    "Use one that is a " + ConfigurableTransactionManager.class.getName() + ", as Spring's own are.");
        }
        DataSource dataSource = managers.dataSourceOf(manager, called.manager, settings);
        Map<Mode, GuardedTransactions> known = byManager.get(called.manager);
        Map<Mode, GuardedTransactions> transactions = known == null ? newTransactions() : known;
        GuardedMode mode = modeOf(settings.scope());
        GuardedDatabase database = mode.database(new GuardedDatabase.Managed(
                called.manager,
                manager,
                dataSource,
                requireNonNull(transactions.get(called.mode)),
                migration.schema()));
        database.transactions.newEntries = database.store()::newEntries;
        database.transactions.onCommit = database.reachability::committed;
        if (properties.enabled()) {
            migration.migrate(dataSource, called.mode);
            check(database);
        }
        if (known == null) {
            listen(configurable, transactions);
            byManager.put(called.manager, transactions);
        }
        database.start();
        return database;
    }

    private Map<Mode, GuardedTransactions> newTransactions() {
        Map<Mode, GuardedTransactions> transactions = new EnumMap<>(Mode.class);
        GuardedTransactions next = null;
        for (Mode mode : List.of(Mode.LEDGER, Mode.FILTER)) {
            if (scopes.modes().contains(mode)) {
                next = new GuardedTransactions(properties.maxClaims(), next);
                transactions.put(mode, next);
            }
        }
        return transactions;
    }

    /** Checks fbf's tables. If the database does not respond, the check only logs a warning. */
    private void check(GuardedDatabase database) {
        try (Connection connection = database.dataSource.getConnection()) {
            Dialect.of(connection)
                    .warnings(connection)
                    .forEach(warning -> log.atWarn()
                            .addKeyValue("database", database.name)
                            .log("The database of {}: {}", database.name, warning));
            database.check(connection);
        } catch (SQLException e) {
            if (SqlFailures.isOfMissingTable(e)) {
                throw migration.withoutTables(database.name, e);
            }
            if (SchemaMigration.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw SchemaMigration.refused(e);
            }
            log.atWarn()
                    .addKeyValue("database", database.name)
                    .log(
                            "The database of {} cannot be reached at startup: operations get 503 until it responds. {}",
                            database.name,
                            e.toString());
        }
    }

    /**
     * Registers fbf's listeners: before the others, whose exceptions could prevent them from recording the outcome, and for the moment before
     * COMMIT after them. Ledger mode comes last, and sends COMMIT if it has operations.
     */
    private static void listen(ConfigurableTransactionManager manager, Map<Mode, GuardedTransactions> transactions) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(transactions.values());
        listeners.addAll(manager.getTransactionExecutionListeners());
        Stream.of(Mode.FILTER, Mode.LEDGER)
                .map(transactions::get)
                .filter(Objects::nonNull)
                .forEach(its -> listeners.add(its.new BeforeCommit()));
        manager.setTransactionExecutionListeners(listeners);
    }
}
