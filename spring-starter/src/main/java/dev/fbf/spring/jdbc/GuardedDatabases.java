package dev.fbf.spring.jdbc;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.ledger.LedgerArbiter;
import dev.fbf.db.node.NodeLease;
import dev.fbf.db.witness.WitnessArbiter;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.operation.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/** Databases in which guarded methods apply their operations: one per transaction manager and mode. Thread-safe. */
final class GuardedDatabases {

    private static final Logger log = LoggerFactory.getLogger(GuardedDatabases.class);

    /** SQL states of an undefined table and an undefined schema. */
    private static final Set<String> UNDEFINED = Set.of("42P01", "3F000");

    /** Limit of the wait for a database's recovery at startup, for example if it responds but a witness's row is locked. */
    private static final Duration RECOVERY = Duration.ofSeconds(2);

    /** Assumed connection timeout if the pool does not expose its own: HikariCP's default. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(30);

    private final TransactionManagers managers;
    private final FbfProperties properties;
    private final Scopes scopes;
    private final SchemaMigration migration;
    private final long ledgerResponses;
    private final Duration nodeRenewal;
    private final InstantSource hostClock;

    /** Id of this process in the registry of nodes, shared by all transaction managers of a database. */
    private final UUID run = UUID.randomUUID();

    private final Map<Name, GuardedDatabase> byQualifier = new ConcurrentHashMap<>();
    private final Map<Name, GuardedDatabase> byName = new ConcurrentHashMap<>();

    /** Listeners per manager, for all modes from its first use: those of a mode used later also know transactions that began before. */
    private final Map<String, Map<Mode, GuardedTransactions>> byManager = new HashMap<>();

    private final IdentityHashMap<DataSource, ConnectionPermits> permits = new IdentityHashMap<>();
    private final List<Consumer<GuardedDatabase>> watchers = new ArrayList<>();
    private final ListableBeanFactory beans;

    /** Lock in place of a monitor, which would pin a virtual thread that waits for the database. */
    private final ReentrantLock lock = new ReentrantLock();

    /** A transaction manager or its qualifier, with a mode. */
    private record Name(String manager, Mode mode) {}

    /**
     * @param ledgerResponses the heap limit, in bytes, of responses that are not yet written to the database; 0 if none are kept there
     * @param nodeRenewal the period between two renewals in the registry of nodes; zero if this process does not register
     * @param hostClock the clock of this host
     */
    GuardedDatabases(
            ListableBeanFactory beans,
            FbfProperties properties,
            Scopes scopes,
            SchemaMigration migration,
            long ledgerResponses,
            Duration nodeRenewal,
            InstantSource hostClock) {
        this.beans = beans;
        managers = new TransactionManagers(beans);
        this.properties = properties;
        this.scopes = scopes;
        this.migration = migration;
        this.ledgerResponses = ledgerResponses;
        this.nodeRenewal = nodeRenewal;
        this.hostClock = hostClock;
    }

    /**
     * Finds the database of operations; the first call opens it.
     *
     * @throws StartException if there is no database that can be guarded, or fbf's tables cannot be used
     * @throws RuntimeException as {@link SchemaMigration#migrate}, if they cannot be created
     */
    GuardedDatabase of(OperationSettings settings, Function<Mode, Node> nodes) {
        Mode mode = scopes.of(settings.scope()).mode();
        GuardedDatabase known = byQualifier.get(new Name(settings.transactionManager(), mode));
        return known != null ? known : open(settings, mode, nodes.apply(mode));
    }

    /** Registers a listener for all databases, whether open already or opened later. */
    void watch(Consumer<GuardedDatabase> watcher) {
        lock.lock();
        try {
            watchers.add(watcher);
            byName.values().forEach(watcher);
        } finally {
            lock.unlock();
        }
    }

    Collection<GuardedDatabase> all() {
        return byName.values();
    }

    Stream<NodeLease> leases() {
        return all().stream().map(database -> database.lease).filter(Objects::nonNull);
    }

    /** Waits for the recovery of the scopes that are open now, for at most {@link #RECOVERY} per database. */
    void awaitRecovered() {
        all().forEach(database -> database.arbiter.awaitRecovered(RECOVERY));
    }

    private GuardedDatabase open(OperationSettings settings, Mode mode, Node node) {
        lock.lock();
        try {
            return openFirst(settings, mode, node);
        } finally {
            lock.unlock();
        }
    }

    private GuardedDatabase openFirst(OperationSettings settings, Mode mode, Node node) {
        PlatformTransactionManager manager = managers.of(settings);
        Name name = new Name(managers.nameOf(manager), mode);
        GuardedDatabase database = byName.get(name);
        if (database == null) {
            GuardedDatabase opened = open(name, manager, settings, node);
            byName.put(name, opened);
            watchers.forEach(watcher -> watcher.accept(opened));
            database = opened;
        }
        byQualifier.put(new Name(settings.transactionManager(), mode), database);
        return database;
    }

    private GuardedDatabase open(
            Name called, PlatformTransactionManager manager, OperationSettings settings, Node node) {
        String name = called.manager;
        Mode mode = called.mode;
        if (!(manager instanceof ConfigurableTransactionManager configurable)) {
            throw new StartException(
                    settings,
                    "the transaction manager " + name + " does not report how its transactions end.",
                    "Use one that is a " + ConfigurableTransactionManager.class.getName() + ", as Spring's own are.");
        }
        DataSource dataSource = managers.dataSourceOf(manager, name, settings);
        String dataSourceName = uniqueNameOf(dataSource, called);
        FbfSchema schema = migration.schema();
        Map<Mode, GuardedTransactions> known = byManager.get(name);
        Map<Mode, GuardedTransactions> transactions = known == null ? newTransactions() : known;
        GuardedDatabase database = new GuardedDatabase(
                name,
                dataSourceName,
                manager,
                dataSource,
                arbiter(called, dataSource, schema, node),
                lease(dataSourceName, dataSource, schema, node, called),
                permits(dataSource),
                requireNonNull(transactions.get(mode)));
        database.transactions.newEntries = database.arbiter::newEntries;
        database.transactions.onCommit = database.reachability::committed;
        migration.migrate(dataSource);
        check(database);
        if (known == null) {
            listenFirst(configurable, transactions.values());
            byManager.put(name, transactions);
        }
        database.arbiter.start();
        database.arbiter.awaitRecovered(RECOVERY);
        NodeLease lease = database.lease;
        if (lease != null) {
            lease.start();
            database.reachability.start();
        }
        return database;
    }

    private Map<Mode, GuardedTransactions> newTransactions() {
        Map<Mode, GuardedTransactions> transactions = new EnumMap<>(Mode.class);
        for (Mode mode : scopes.modes()) {
            transactions.put(mode, new GuardedTransactions(properties.maxClaims()));
        }
        return transactions;
    }

    /** Checks fbf's tables. If the database does not respond, the check only logs a warning. */
    private void check(GuardedDatabase database) {
        String schemaName = properties.schema().name();
        try (Connection connection = database.dataSource.getConnection()) {
            FbfSchema.warnings(connection)
                    .forEach(warning -> log.atWarn()
                            .addKeyValue("database", database.dataSourceName)
                            .log("The database of {}: {}", database.dataSourceName, warning));
            database.arbiter.check(connection);
            if (database.lease != null) {
                database.lease.check(connection);
            }
        } catch (SQLException e) {
            if (e.getSQLState() != null && UNDEFINED.contains(e.getSQLState())) {
                throw properties.schema().migrate()
                        ? SchemaException.lostTables(database.name, schemaName, e)
                        : SchemaException.missingTables(database.name, schemaName, e);
            }
            if (SchemaException.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw SchemaException.mayNotUse(schemaName, e);
            }
            log.atWarn()
                    .addKeyValue("database", database.dataSourceName)
                    .log(
                            "The database of {} cannot be reached at startup: operations get 503 until it responds. {}",
                            database.dataSourceName,
                            e.toString());
        }
    }

    private Arbiter arbiter(Name name, DataSource dataSource, FbfSchema schema, Node node) {
        if (name.mode == Mode.LEDGER) {
            return new LedgerArbiter(dataSource, schema, new CallersLookup(dataSource), ledgerResponses);
        }
        return new WitnessArbiter(dataSource, schema, node.database(name.manager));
    }

    /** Returns the permits of a pool, shared by all its managers; null if the size of the pool is unknown or unlimited. */
    private @Nullable ConnectionPermits permits(DataSource dataSource) {
        ConnectionPermits known = permits.get(dataSource);
        Integer most = known != null ? null : mostConnections(dataSource);
        if (most != null && most > 0) {
            known = new ConnectionPermits(most, () -> connectionTimeout(dataSource));
            permits.put(dataSource, known);
        }
        return known;
    }

    private @Nullable Integer mostConnections(DataSource dataSource) {
        return beans.getBeanProvider(DataSourcePoolMetadataProvider.class).stream()
                .map(provider -> provider.getDataSourcePoolMetadata(dataSource))
                .filter(Objects::nonNull)
                .map(DataSourcePoolMetadata::getMax)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the pool's connection timeout. HikariCP exposes it as the login timeout; other pools may not expose it. */
    private static Duration connectionTimeout(DataSource dataSource) {
        try {
            int seconds = dataSource.getLoginTimeout();
            return seconds > 0 ? Duration.ofSeconds(seconds) : CONNECTION_TIMEOUT;
        } catch (SQLException | UnsupportedOperationException e) {
            return CONNECTION_TIMEOUT;
        }
    }

    private @Nullable NodeLease lease(String name, DataSource dataSource, FbfSchema schema, Node node, Name called) {
        if (nodeRenewal.isZero()) {
            return null;
        }
        boolean ledger = called.mode == Mode.LEDGER;
        NodeLease.Self self = new NodeLease.Self(
                node.id(),
                run,
                ledger ? Set.of() : earlierRuns(node.database(called.manager)),
                ledger ? ThisProcess.name() : ThisProcess.with(properties.directory()),
                ledger);
        return new NodeLease(
                name,
                dataSource,
                schema,
                self,
                nodeRenewal,
                scope -> scopes.of(scope).retryWindow(),
                scope -> scopes.of(scope).maxSkew(),
                hostClock,
                node::isApplying);
    }

    /** Records this process in the directory, before others can see it in the database; returns the directory's earlier processes. */
    private Set<UUID> earlierRuns(WitnessedDatabase database) {
        database.run(run);
        return database.earlierRuns();
    }

    /** Registers fbf's listeners before the others, whose exceptions could prevent them from recording the outcome. */
    private static void listenFirst(
            ConfigurableTransactionManager manager, Collection<? extends TransactionExecutionListener> first) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(first);
        listeners.addAll(manager.getTransactionExecutionListeners());
        manager.setTransactionExecutionListeners(listeners);
    }

    /** Returns a unique name: the data source's name. If it is taken, appends the manager's name, and if necessary the mode. */
    private String uniqueNameOf(DataSource dataSource, Name called) {
        String name = managers.nameOf(dataSource, called.manager);
        String ofManager = name + "." + called.manager;
        Set<String> taken =
                all().stream().map(database -> database.dataSourceName).collect(Collectors.toSet());
        if (!taken.contains(name)) {
            return name;
        }
        return taken.contains(ofManager) ? ofManager + "." + called.mode.name().toLowerCase(Locale.ROOT) : ofManager;
    }

    /** Lookups on the connection of this thread's transaction, or on a new one. */
    private record CallersLookup(DataSource dataSource) implements Arbiter.Lookup {

        @Override
        public <T> @Nullable T ask(Arbiter.Question<T> question) {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            try {
                return question.ask(connection);
            } catch (SQLException e) {
                throw GuardedDatabase.translate("look into fbf_ledger", e);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        }
    }

    /** Descriptions of this process for other nodes and operators. */
    private static final class ThisProcess {

        /** The host's name on Linux, available without a network query. */
        private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

        private ThisProcess() {}

        /** Returns a description with the host and the process. */
        static String name() {
            return "host " + host() + ", process " + ProcessHandle.current().pid();
        }

        /** Returns a description with the host, the process and its directory. */
        static String with(Path directory) {
            return name() + ", directory " + directory.toAbsolutePath().normalize();
        }

        private static String host() {
            try {
                return Files.readString(HOST).strip();
            } catch (IOException e) {
                return "unknown";
            }
        }
    }
}
