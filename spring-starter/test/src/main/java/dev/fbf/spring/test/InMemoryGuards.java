package dev.fbf.spring.test;

import dev.fbf.db.connection.Postgres;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.transaction.PlainTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Production's guards for operations on PostgreSQL, and guards in memory for all others. Thread-safe. */
final class InMemoryGuards implements OperationGuards {

    private static final Logger log = LoggerFactory.getLogger(InMemoryGuards.class);

    private final Scopes scopes;
    private final PlainTransactions transactions;
    private final InMemoryCalls calls;
    private final Supplier<@Nullable OperationGuards> production;
    private final InMemoryOperations operations = new InMemoryOperations();
    private final Map<OperationSettings, OperationGuard> guards = new ConcurrentHashMap<>();
    private final Map<String, Boolean> inMemory = new ConcurrentHashMap<>();

    /** @param production production's guards; null without a data source, and in test slices */
    InMemoryGuards(
            Scopes scopes,
            PlainTransactions transactions,
            InMemoryCalls calls,
            Supplier<@Nullable OperationGuards> production) {
        this.scopes = scopes;
        this.transactions = transactions;
        this.calls = calls;
        this.production = production;
    }

    @Override
    public void openAll(Collection<OperationSettings> declared) {
        OperationGuards others = production.get();
        if (others != null) {
            others.openAll(
                    declared.stream().filter(settings -> !isInMemory(settings)).toList());
        }
    }

    @Override
    public OperationGuard of(OperationSettings settings) {
        OperationGuards others = production.get();
        if (others != null && !isInMemory(settings)) {
            return others.of(settings);
        }
        return guards.computeIfAbsent(
                settings, its -> new InMemoryGuard(its, scopes.of(its.scope()), operations, calls));
    }

    boolean isInMemory(OperationSettings settings) {
        return production.get() == null
                || inMemory.computeIfAbsent(settings.transactionManager(), manager -> usesMemory(settings));
    }

    /**
     * Returns whether operations are kept in memory. They are not if the database does not respond: production's guards then report this.
     */
    private boolean usesMemory(OperationSettings settings) {
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
            log.debug("The database's product cannot be determined.", e);
            return false;
        }
    }
}
