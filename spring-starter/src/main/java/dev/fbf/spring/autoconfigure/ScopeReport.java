package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.Mode;
import dev.fbf.spring.transaction.NodeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Report on a scope.
 *
 * @param scope its name
 * @param mode the memory that decides whether an operation is new
 * @param retryWindow the stated time after an operation in which its retries may arrive
 * @param claims the number of operations that are being applied or in doubt
 * @param keylessCalls the number of calls without a key that ran unguarded since the start
 * @param filter its filter; null in ledger mode
 */
record ScopeReport(
        String scope,
        Mode mode,
        Duration retryWindow,
        int claims,
        long keylessCalls,
        @Nullable Object filter) {

    static ScopeReport of(NodeStatus.OpenScope scope, long keylessCalls) {
        return new ScopeReport(
                scope.name(), scope.mode(), scope.retryWindow(), scope.claims(), keylessCalls, scope.report());
    }
}
