package dev.fbf.spring.transaction;

import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Part of this process in one mode: its scopes, databases and guards. Thread-safe. */
public abstract class GuardedMode {

    protected abstract Mode mode();

    /** Opens a scope, which is not open yet. */
    protected abstract NodeStatus.OpenScope open(String scope, ScopeDefinition settings);

    /** Creates a database, to be started and closed. */
    protected abstract GuardedDatabase database(GuardedDatabase.Managed managed);

    /** Creates the guard of operations whose scope and database are open. */
    protected abstract SqlOperationGuard guard(SqlOperationGuard.Guarded guarded);

    /** Called after the scopes and databases that are known at the start were opened. */
    protected void started() {}

    /** Returns the number of operations that are being applied or in doubt. */
    protected abstract int held();

    /** Returns whether operations are being applied, apart from those in doubt. */
    protected abstract boolean isApplying();

    /** Returns the ID of the directory; null if there is none. */
    protected @Nullable UUID nodeId() {
        return null;
    }

    /** Returns whether operations are refused until the next start because a file failed. */
    protected boolean hasFailed() {
        return false;
    }

    /** Called after the databases were closed. */
    protected void close() {}
}
