package dev.fbf.spring.transaction;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;

/** Database with {@code fbf.enabled=false}: it records no operation, and has fbf's tables only for counters in {@code fbf_counter}. */
final class DisabledDatabase extends GuardedDatabase {

    private final SchemaMigration migration;
    private final OperationStore store;

    DisabledDatabase(Managed managed, SchemaMigration migration) {
        super(managed);
        this.migration = migration;
        store = new NoStore(dataSource, managed.schema());
    }

    @Override
    protected OperationStore store() {
        return store;
    }

    @Override
    protected void start() {}

    @Override
    protected void register(OperationSettings settings, ScopeDefinition scope) {}

    @Override
    protected synchronized void useOwnCounters() {
        migration.migrate(dataSource, Mode.LEDGER);
    }

    @Override
    protected List<String> refusals() {
        return List.of();
    }

    private static final class NoStore extends OperationStore {

        NoStore(DataSource dataSource, FbfSchema schema) {
            super("disabled", dataSource, schema, failure -> {});
        }

        @Override
        public void check(Connection connection) {}

        @Override
        protected void recordOne(Connection connection) {}

        @Override
        public void start() {}

        @Override
        public OperationTransaction.Entries newEntries() {
            throw new IllegalStateException("fbf.enabled=false: no operation is entered");
        }

        @Override
        protected GroupCommit.Applier applier(CounterRows counters) {
            return (connection, group) -> {
                throw new IllegalStateException("fbf.enabled=false: no increment is grouped");
            };
        }
    }
}
