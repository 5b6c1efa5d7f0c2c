package dev.fbf.spring.filter;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.witness.NodeLease;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.GuardedDatabase;
import dev.fbf.spring.transaction.GuardedMode;
import dev.fbf.spring.transaction.NodeStatus;
import dev.fbf.spring.transaction.SqlOperationGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Filter mode: the directory of its scopes, and their databases. Thread-safe. */
final class FilterMode extends GuardedMode {

    private static final Logger log = LoggerFactory.getLogger(FilterMode.class);

    /** The host's name on Linux, available without a network query. */
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    private final FbfProperties properties;
    private final Scopes definitions;
    private final Duration renewal;
    private final Map<String, ScopeClaims> scopes = new ConcurrentHashMap<>();

    /** Id of this process in the registry of nodes, shared by all transaction managers of a database. */
    private final UUID run = UUID.randomUUID();

    /** The directory; null until the first scope is opened. */
    private volatile @Nullable Node node;

    /** @param renewal the period between two renewals of a lease; zero if this process does not register */
    FilterMode(FbfProperties properties, Scopes definitions, Duration renewal) {
        this.properties = properties;
        this.definitions = definitions;
        this.renewal = renewal;
    }

    @Override
    protected Mode mode() {
        return Mode.FILTER;
    }

    @Override
    protected NodeStatus.OpenScope open(String scope, ScopeDefinition settings) {
        FilterPlan plan = definitions.plan(scope);
        Node in = node();
        ScopeClaims opened = in.scope(scope, plan);
        scopes.put(scope, opened);
        log.atInfo()
                .addKeyValue("scope", scope)
                .log(
                        "Guarding scope {} (filter mode) in {}: {}, {} MB",
                        scope,
                        in,
                        settings,
                        String.format(Locale.ROOT, "%.2f", plan.bytes() / 1e6));
        log.atDebug().addKeyValue("scope", scope).log("The filter of scope {}: {}", scope, plan);
        return new WitnessedScope(opened, in);
    }

    /** Opens the directory if necessary: an application without scopes in filter mode creates no files. */
    private synchronized Node node() {
        Node open = node;
        if (open == null) {
            open = Node.open(
                    properties.directory(),
                    properties.maxClaims(),
                    properties.afterPowerFailure() == FbfProperties.AfterPowerFailure.HOLD_BACK);
            node = open;
        }
        return open;
    }

    @Override
    protected GuardedDatabase database(GuardedDatabase.Managed managed) {
        return new WitnessDatabase(
                managed,
                node().database(managed.name()),
                renewal.isZero() ? null : lease(managed),
                properties.directory());
    }

    private NodeLease lease(GuardedDatabase.Managed managed) {
        Node its = node();
        return new NodeLease(
                managed.name(),
                managed.dataSource(),
                managed.schema(),
                new NodeLease.Self(its.id(), run, its.isOnCopy(), description()),
                renewal,
                this::claims);
    }

    private ScopeClaims claims(String scope) {
        return requireNonNull(scopes.get(scope));
    }

    /** Returns the host, the process and its directory, for other nodes and operators. */
    private String description() {
        return "host " + host() + ", process " + ProcessHandle.current().pid() + ", directory "
                + properties.directory().toAbsolutePath().normalize();
    }

    private static String host() {
        try {
            return Files.readString(HOST).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    @Override
    protected SqlOperationGuard guard(SqlOperationGuard.Guarded guarded) {
        return new WitnessGuard(guarded, claims(guarded.settings().scope()));
    }

    @Override
    protected void started() {
        int left = node == null ? 0 : node.leftInUnopenedDatabases();
        if (left > 0) {
            log.warn(
                    "The previous process left {} operations in doubt with transaction managers that this one does not"
                            + " use. They stay in doubt until it uses them, under the same bean names.",
                    left);
        }
    }

    @Override
    protected int held() {
        return node == null ? 0 : node.held();
    }

    @Override
    protected boolean isApplying() {
        return node != null && node.isApplying();
    }

    @Override
    protected @Nullable UUID nodeId() {
        return node == null ? null : node.id();
    }

    @Override
    protected boolean hasFailed() {
        return node != null && node.failure() != null;
    }

    @Override
    protected void close() {
        if (node != null) {
            node.close();
        }
    }
}
