package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/** Ledger mode: the claims and the recent operations that all its scopes share. Thread-safe. */
final class LedgerMode extends GuardedMode {

    private static final Logger log = LoggerFactory.getLogger(LedgerMode.class);

    private final SchemaMigration migration;
    private final boolean registers;
    private final long responses;

    /** Created with the first scope. */
    private final SingletonSupplier<Memory> memory;

    private record Memory(RecentOperations recent, Claims claims) {

        static Memory of(int maxClaims) {
            RecentOperations recent = new RecentOperations();
            return new Memory(recent, new Claims(maxClaims, recent::put));
        }
    }

    private record Scope(String name, Duration retryWindow, Claims all) implements NodeStatus.OpenScope {

        @Override
        public Mode mode() {
            return Mode.LEDGER;
        }

        @Override
        public int claims() {
            return all.held(name);
        }
    }

    /**
     * @param registers whether this process records the mode of its scopes
     * @param responses the heap limit, in bytes, of responses that are not written yet; 0 if none are kept
     */
    LedgerMode(int maxClaims, SchemaMigration migration, boolean registers, long responses) {
        this.migration = migration;
        this.registers = registers;
        this.responses = responses;
        memory = SingletonSupplier.of(() -> Memory.of(maxClaims));
    }

    @Override
    protected Mode mode() {
        return Mode.LEDGER;
    }

    @Override
    protected NodeStatus.OpenScope open(String scope, ScopeDefinition settings) {
        log.atInfo().addKeyValue("scope", scope).log("Guarding scope {} (ledger mode): {}", scope, settings);
        return new Scope(scope, settings.retryWindow(), memory.obtain().claims);
    }

    @Override
    protected GuardedDatabase database(GuardedDatabase.Managed managed) {
        return new LedgerDatabase(managed, migration, memory.obtain().recent, registers, responses);
    }

    @Override
    protected SqlOperationGuard guard(SqlOperationGuard.Guarded guarded) {
        Memory its = memory.obtain();
        return new LedgerGuard(guarded, its.claims, its.recent);
    }

    @Override
    protected int held() {
        return memory.obtain().claims.held();
    }

    @Override
    protected boolean isApplying() {
        return held() > 0;
    }
}
