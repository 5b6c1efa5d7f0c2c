package dev.fbf.db.witness;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Standing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** A process with a directory, and a scope in it, before a registry of nodes. */
final class NodeProcess implements AutoCloseable {

    static final String SCOPE = "views";

    final Path directory;
    final UUID id;
    final ScopeClaims scope;
    private final Node node;
    private final FilterPlan plan;
    private final NodeLease.Self self;
    private final LeaseTable table;

    NodeProcess(Path directory, boolean isOnCopy, Duration window) {
        this.directory = directory;
        plan = new FilterSizing(1, window, 1e-3).plan();
        node = Node.open(directory, 2, false);
        scope = node.scope(SCOPE, plan);
        id = node.id();
        self = new NodeLease.Self(id, UUID.randomUUID(), isOnCopy, "a test's process");
        table = new LeaseTable(FbfDatabase.TABLES, self);
    }

    /** Copies the directory as it is now. */
    void copyTo(Path copy) {
        try (Stream<Path> files = Files.list(directory)) {
            Files.createDirectories(copy);
            for (Path file : files.filter(each -> !each.endsWith("fbf.lock")).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void check(Connection connection) throws SQLException {
        table.check(connection);
    }

    Standing registerIn(String other, Connection connection) throws SQLException {
        return table.register(connection, node.scope(other, plan), false);
    }

    /** Registers in what is another database for this process. */
    Standing registerInAnother(Connection connection) throws SQLException {
        return new LeaseTable(FbfDatabase.TABLES, self).register(connection, scope, true);
    }

    Standing register(Connection connection, boolean isStart) throws SQLException {
        return table.register(connection, scope, isStart);
    }

    Set<String> renew(Connection connection) throws SQLException {
        return table.renew(connection, List.of(scope));
    }

    void end(Connection connection) throws SQLException {
        table.end(connection, List.of(SCOPE));
    }

    /** Ends without a word to the registry, as a killed process does. */
    @Override
    public void close() {
        node.close();
    }
}
