package dev.fbf.loadtest.bench.guard;

import java.util.List;
import java.util.Locale;

/** Who adds one to a counter, and how. Each has a table of counters of its own, all made alike. */
enum GuardContender {
    UPDATE("the UPDATE alone, in autocommit", Increments.Alone.class),
    PLAIN("a transaction with the UPDATE", Increments.Plain.class),
    FILTER("the same, guarded by fbf, mode filter", Increments.Guarded.class),
    KEY_INSERT("a transaction with the INSERT of its key and the UPDATE", Increments.KeyInsert.class),
    CTE("the INSERT of the key and the UPDATE in one statement", Increments.Cte.class),
    LEDGER("the UPDATE, guarded by fbf, mode ledger", Increments.Guarded.class),
    LEDGER_SQL_ONLY("the same, with sqlOnly = true", Increments.GuardedSqlOnly.class),
    COUNTERS("SqlCounters, mode filter", Increments.Counters.class),
    COUNTERS_LEDGER("SqlCounters, mode ledger", Increments.Counters.class);

    private final String description;
    private final Class<? extends Increments> bean;

    GuardContender(String description, Class<? extends Increments> bean) {
        this.description = description;
        this.bean = bean;
    }

    String description() {
        return description;
    }

    Class<? extends Increments> bean() {
        return bean;
    }

    /** The bean that it is made with. */
    String madeWith() {
        return bean == Increments.Counters.class ? "fbfSqlCountersBuilder" : "jdbcTemplate";
    }

    /** The counters. */
    String counters() {
        return "counter_" + name().toLowerCase(Locale.ROOT);
    }

    /** The keys of those that write them down themselves. */
    String keys() {
        return "key_" + name().toLowerCase(Locale.ROOT);
    }

    /** Whether each operation counts once, however often it is sent. */
    boolean isGuarded() {
        return this != UPDATE && this != PLAIN;
    }

    /** All tables it writes to. */
    List<String> tables() {
        return switch (this) {
            case UPDATE, PLAIN -> List.of(counters());
            case FILTER, COUNTERS -> List.of(counters(), "fbf_witness");
            case KEY_INSERT, CTE -> List.of(counters(), keys());
            case LEDGER, LEDGER_SQL_ONLY, COUNTERS_LEDGER -> List.of(counters(), "fbf_ledger");
        };
    }

    /** The properties of its application. */
    List<String> properties() {
        return switch (this) {
            case UPDATE, PLAIN, KEY_INSERT, CTE -> List.of("fbf.enabled=false");
            case FILTER, COUNTERS -> List.of("fbf.mode=filter");
            case LEDGER, LEDGER_SQL_ONLY, COUNTERS_LEDGER -> List.of("fbf.mode=ledger");
        };
    }
}
