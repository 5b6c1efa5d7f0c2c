package dev.fbf.spring.test;

import dev.fbf.db.connection.Postgres;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.ResponseStore;
import dev.fbf.spring.jdbc.Guards;
import dev.fbf.spring.jdbc.PlainTransactions;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.KeptResponses;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.RetryWindows;
import dev.fbf.spring.operation.ScopeSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Admits operations of PostgreSQL as in production, and those of other databases, or of none, in memory. Thread-safe. */
final class InMemoryGuards implements OperationGuards, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(InMemoryGuards.class);

    private final FbfProperties properties;
    private final GuardedMethods methods;
    private final RetryWindows windows;
    private final PlainTransactions transactions;
    private final InMemoryCalls calls;
    private final Supplier<@Nullable Guards> production;
    private final InMemoryOperations operations = new InMemoryOperations();
    private final @Nullable KeptResponses responses;
    private final Map<OperationSettings, OperationGuard> guards = new ConcurrentHashMap<>();
    private final Map<String, Boolean> inMemory = new ConcurrentHashMap<>();

    /**
     * @param production those of PostgreSQL; null without a data source, and in test slices
     */
    InMemoryGuards(
            FbfProperties properties,
            GuardedMethods methods,
            RetryWindows windows,
            PlainTransactions transactions,
            InMemoryCalls calls,
            Supplier<@Nullable Guards> production,
            @Nullable ResponseStore store) {
        this.properties = properties;
        this.methods = methods;
        this.windows = windows;
        this.transactions = transactions;
        this.calls = calls;
        this.production = production;
        responses = KeptResponses.of(properties, windows, store);
    }

    /** Comes before the guards of production, which open the scopes that are left. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.settings().stream()
                .filter(this::isInMemory)
                .forEach(settings -> methods.addElsewhere(settings.scope()));
    }

    @Override
    public OperationGuard of(OperationSettings settings) {
        Guards others = production.get();
        if (others != null && !isInMemory(settings)) {
            return others.of(settings);
        }
        return guards.computeIfAbsent(
                settings,
                its -> new InMemoryGuard(
                        its,
                        ScopeSettings.of(its.scope(), properties),
                        windows.of(its.scope()),
                        operations,
                        calls,
                        responses));
    }

    boolean isInMemory(OperationSettings settings) {
        return production.get() == null
                || inMemory.computeIfAbsent(settings.transactionManager(), manager -> findOut(settings));
    }

    /** A database that does not respond is left to production's guards, which wait for it. */
    private boolean findOut(OperationSettings settings) {
        DataSource dataSource = transactions.dataSourceOf(settings);
        if (dataSource == null) {
            return true;
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean other = !Postgres.is(connection);
            if (other) {
                log.info(
                        "Operations in {} are kept in memory, until this context is closed (fbf-spring-boot-test).",
                        connection.getMetaData().getDatabaseProductName());
            }
            return other;
        } catch (SQLException e) {
            log.debug("The database cannot be asked for its product.", e);
            return false;
        }
    }
}
