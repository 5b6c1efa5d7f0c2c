package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Increments;
import dev.fbf.loadtest.bench.guard.Services.CounterService;
import dev.fbf.loadtest.bench.guard.Services.GroupedCounters;
import dev.fbf.loadtest.bench.guard.Services.IntegrationGateway;
import dev.fbf.loadtest.bench.guard.Services.IntegrationService;
import dev.fbf.loadtest.bench.guard.Services.RedisCounters;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;

/** Who adds one to a counter, and how. Each has a table of counters of its own, all made alike. */
enum GuardContender {
    UPDATE("the UPDATE alone, in autocommit", CounterService.class),
    PLAIN("a transaction with the UPDATE", CounterService.class),
    FILTER("the same, guarded by fbf, mode filter", CounterService.class),
    KEY_INSERT("a transaction with the INSERT of its key and the UPDATE", CounterService.class),
    CTE("the INSERT of the key and the UPDATE in one statement", CounterService.class),
    INTEGRATION(
            "Spring Integration's idempotent receiver with its JDBC store, in a transaction with the UPDATE",
            IntegrationService.class),
    PENDING_ROW(
            "a transaction with the INSERT of a pending row for the key, the UPDATE, and the UPDATE of that row to completed",
            CounterService.class),
    REDIS_LUA_ALWAYS(
            "a Lua script in Redis that sets the key and counts, outside of SQL; appendfsync always",
            RedisCounters.class),
    LEDGER("the UPDATE, guarded by fbf, mode ledger", CounterService.class),
    LEDGER_SQL_ONLY("the same, with sqlOnly = true", CounterService.class),
    GROUPED_UPSERT(
            "groups as of SqlCounters, whose sums one statement adds, unguarded: the limit", GroupedUpsert.class),
    COUNTERS("SqlCounters, mode filter", GroupedCounters.class),
    COUNTERS_LEDGER("SqlCounters, mode ledger", GroupedCounters.class);

    private final String description;
    private final Class<?> bean;

    GuardContender(String description, Class<?> bean) {
        this.description = description;
        this.bean = bean;
    }

    String description() {
        return description;
    }

    /** The class of the bean that does it. */
    Class<?> bean() {
        return bean;
    }

    /** Its way of adding one to a counter, through all that Spring and fbf put round the bean. */
    Increments increments(BeanFactory beans) {
        return switch (this) {
            case UPDATE -> beans.getBean(CounterService.class)::update;
            case PLAIN -> beans.getBean(CounterService.class)::updateInTransaction;
            case KEY_INSERT -> beans.getBean(CounterService.class)::insertKey;
            case CTE -> beans.getBean(CounterService.class)::insertKeyInSameStatement;
            case INTEGRATION -> beans.getBean(IntegrationGateway.class)::increment;
            case PENDING_ROW -> beans.getBean(CounterService.class)::insertPendingRow;
            case REDIS_LUA_ALWAYS -> beans.getBean(RedisCounters.class)::increment;
            case FILTER, LEDGER -> beans.getBean(CounterService.class)::guarded;
            case LEDGER_SQL_ONLY -> beans.getBean(CounterService.class)::guardedSqlOnly;
            case GROUPED_UPSERT -> beans.getBean(GroupedUpsert.class)::increment;
            case COUNTERS, COUNTERS_LEDGER -> beans.getBean(GroupedCounters.class)::increment;
        };
    }

    /** The counters. */
    String counters() {
        return "counter_" + name().toLowerCase(Locale.ROOT);
    }

    /** The keys of those that write them down themselves. */
    String keys() {
        return "key_" + name().toLowerCase(Locale.ROOT);
    }

    /** SQL that makes the table of the keys. */
    String makeKeys() {
        if (this != PENDING_ROW) {
            return "CREATE TABLE " + keys() + " (id varchar(255) PRIMARY KEY)";
        }
        return "CREATE TABLE " + keys() + " (operation varchar(128) NOT NULL, key varchar(255) NOT NULL,"
                + " request_hash varchar(128) NOT NULL, status varchar(32) NOT NULL, result_type varchar(255),"
                + " result jsonb, error_code varchar(128), created_at timestamptz NOT NULL, completed_at timestamptz,"
                + " expires_at timestamptz, PRIMARY KEY (operation, key)); CREATE INDEX ON " + keys() + " (expires_at)";
    }

    /** The statement that adds one to a counter. */
    String update() {
        return "UPDATE " + counters() + " SET value = value + 1 WHERE id = ?";
    }

    /** Whether each operation counts once, however often it is sent. */
    boolean isGuarded() {
        return this != UPDATE && this != PLAIN && this != GROUPED_UPSERT;
    }

    /** Whether fbf guards it. */
    boolean isOurs() {
        return name().matches("(FILTER|LEDGER|COUNTERS).*");
    }

    private boolean isLedger() {
        return name().contains("LEDGER");
    }

    /** Whether its counters are in Redis, and not in the database. */
    boolean countsInRedis() {
        return this == REDIS_LUA_ALWAYS;
    }

    /** All tables it writes to. */
    List<String> tables() {
        if (isOurs()) {
            return List.of(counters(), schema() + (isLedger() ? ".fbf_ledger" : ".fbf_witness"));
        }
        return switch (this) {
            case REDIS_LUA_ALWAYS -> List.of();
            case KEY_INSERT, CTE, PENDING_ROW -> List.of(counters(), keys());
            case INTEGRATION -> List.of(counters(), "int_metadata_store");
            default -> List.of(counters());
        };
    }

    /** The schema of fbf's tables: its ledger is as long as what this contender has written, as is the peers' table of keys. */
    private String schema() {
        return "fbf_of_" + name().toLowerCase(Locale.ROOT);
    }

    /** The properties of its application. */
    Map<String, Object> properties() {
        return Map.of(
                "fbf.enabled", isOurs(), "fbf.schema.name", schema(), "fbf.mode", isLedger() ? "ledger" : "filter");
    }
}
