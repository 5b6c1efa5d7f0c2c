package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stand-in for a mode with {@code fbf.enabled=false}: its guards let every call through, including retries. Thread-safe. */
final class DisabledMode extends GuardedMode {

    private final Mode replaced;
    private final SchemaMigration migration;

    DisabledMode(Mode replaced, SchemaMigration migration) {
        this.replaced = replaced;
        this.migration = migration;
    }

    private record Scope(String name, Mode mode, Duration retryWindow, int claims) implements NodeStatus.OpenScope {}

    @Override
    protected Mode mode() {
        return replaced;
    }

    @Override
    protected boolean needsTables() {
        return false;
    }

    @Override
    protected NodeStatus.OpenScope open(String scope, ScopeDefinition settings) {
        return new Scope(scope, replaced, settings.retryWindow(), 0);
    }

    @Override
    protected GuardedDatabase database(GuardedDatabase.Managed managed) {
        return new DisabledDatabase(managed, migration);
    }

    @Override
    protected SqlOperationGuard guard(SqlOperationGuard.Guarded guarded) {
        return new Guard(guarded);
    }

    @Override
    protected int held() {
        return 0;
    }

    @Override
    protected boolean isApplying() {
        return false;
    }

    private static final class Guard extends SqlOperationGuard {

        Guard(Guarded guarded) {
            super(guarded);
        }

        @Override
        public boolean letsThrough() {
            return true;
        }

        @Override
        protected Admission take(Operation operation, boolean isAlone) {
            throw new IllegalStateException("fbf.enabled=false: no operation is claimed");
        }

        @Override
        protected @Nullable Refusal known(Operation operation) {
            return null;
        }

        @Override
        protected Duration heldBackFor() {
            return Duration.ZERO;
        }

        @Override
        protected @Nullable Refusal awaitSettled(GroupedIncrement increment) {
            return null;
        }

        @Override
        protected boolean recognizes(Operation operation, long fingerprint) {
            return true;
        }
    }
}
