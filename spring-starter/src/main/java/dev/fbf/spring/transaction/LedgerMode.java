package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Ledger mode: the claims and the recent operations that all its scopes share. With {@code fbf.enabled=false}, its guards let every call
 * through, including retries, and also those of scopes in filter mode. Thread-safe.
 */
final class LedgerMode extends GuardedMode {

    private static final Logger log = LoggerFactory.getLogger(LedgerMode.class);

    private final SchemaMigration migration;
    private final boolean registers;
    private final FbfProperties properties;

    /** Created with the first scope. */
    private final SingletonSupplier<RecentOperations> recent = SingletonSupplier.of(RecentOperations::new);

    private final SingletonSupplier<Claims> claims;

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

    /** @param registers whether this process records the mode of its scopes */
    LedgerMode(FbfProperties properties, SchemaMigration migration, boolean registers) {
        this.properties = properties;
        this.migration = migration;
        this.registers = registers;
        claims = SingletonSupplier.of(() -> new Claims(properties.maxClaims(), recent.obtain()::put));
    }

    @Override
    protected Mode mode() {
        return Mode.LEDGER;
    }

    @Override
    protected NodeStatus.OpenScope open(String scope, ScopeDefinition settings) {
        if (properties.enabled()) {
            log.atInfo().addKeyValue("scope", scope).log("Guarding scope {} (ledger mode): {}", scope, settings);
        }
        return new Scope(scope, settings.retryWindow(), claims.obtain());
    }

    @Override
    protected GuardedDatabase database(GuardedDatabase.Managed managed) {
        return new LedgerDatabase(managed, properties, migration, recent.obtain(), registers);
    }

    @Override
    protected SqlOperationGuard guard(SqlOperationGuard.Guarded guarded) {
        return new LedgerGuard(guarded, claims.obtain(), recent.obtain(), !properties.enabled());
    }

    @Override
    protected int held() {
        return claims.obtain().held();
    }

    @Override
    protected boolean isApplying() {
        return held() > 0;
    }
}
