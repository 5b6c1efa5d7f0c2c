package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Callers whose increments the database refuses, beside callers whose increments it accepts. */
@ParameterizedClass
@EnumSource(Mode.class)
@ExtendWith(PostgresExtension.class)
@Timeout(60)
@SuppressWarnings("NullAway.Init") // set before the tests
class BadIncrementsTest {

    private static final int GOOD = 30;
    private static final int BAD = 6;

    private static final ExecutorService callers = Executors.newFixedThreadPool(GOOD + BAD);

    private static DataSource database;
    private static JdbcClient jdbc;
    private static CountingApp app;

    private final String run = UUID.randomUUID().toString();

    /** A new name each time: one that has failed is in no group for a while. */
    private final String bad = "bad " + run;

    @SuppressWarnings("UnusedVariable") // the application has it
    BadIncrementsTest(Mode mode) {}

    /** Reasons for which the database refuses to add to one counter. */
    enum Reason {
        A_MISSING_ROW("DELETE FROM page WHERE name = '%1$s'"),
        A_VALUE_OUT_OF_RANGE("UPDATE page SET views = 9223372036854775807 WHERE name = '%1$s'"),
        A_CONSTRAINT("ALTER TABLE page ADD CONSTRAINT bad CHECK (name <> '%1$s' OR views = 0)"),
        A_DEFERRED_CONSTRAINT(trigger(
                "RAISE 'at COMMIT' USING ERRCODE = '23514'",
                "CONSTRAINT TRIGGER bad AFTER",
                "DEFERRABLE INITIALLY DEFERRED")),
        A_TRIGGER_WITH_A_STATE_OF_ITS_OWN(trigger("RAISE 'mine' USING ERRCODE = 'MY001'")),
        A_TRIGGER_THAT_SUPPRESSES_THE_CHANGE(trigger("RETURN NULL")),
        A_MISSING_RIGHT(trigger("RAISE 'row-level security' USING ERRCODE = '42501'")),
        A_SERIALIZATION_FAILURE(trigger("RAISE 'conflict' USING ERRCODE = '40001'")),
        A_CANCELED_STATEMENT(trigger("PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(1)")),
        A_LOCK_TIMEOUT(trigger("RAISE 'locked' USING ERRCODE = '55P03'"));

        private final String sql;

        Reason(String sql) {
            this.sql = sql;
        }

        private static String trigger(String body) {
            return trigger(body, "TRIGGER bad BEFORE", "");
        }

        private static String trigger(String body, String kind, String more) {
            return "CREATE OR REPLACE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN " + body
                    + "; RETURN NEW; END$$; CREATE " + kind + " UPDATE ON page " + more
                    + " FOR EACH ROW WHEN (NEW.name = '%1$s') EXECUTE FUNCTION bad()";
        }
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        database = dataSource;
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS page; CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                .update();
        HikariDataSource pool = Pools.of(dataSource, 4);
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, pool);
            context.registerBean(
                    SqlCounters.class,
                    () -> context.getBean(SqlCounters.Builder.class)
                            .table("page", "name", "views")
                            .build());
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @AfterEach
    void removeTheReason() {
        jdbc.sql("DROP TRIGGER IF EXISTS bad ON page").update();
        jdbc.sql("ALTER TABLE page DROP CONSTRAINT IF EXISTS bad").update();
        jdbc.sql("DELETE FROM page").update();
    }

    @ParameterizedTest
    @EnumSource
    void harmNoneThatTheDatabaseAccepts(Reason reason) throws Exception {
        jdbc.sql("INSERT INTO page VALUES ('home', 0), ('shop', 0), ('" + bad + "', 0)")
                .update();
        jdbc.sql(String.format(reason.sql, bad)).update();
        SqlCounters counters = app.bean(SqlCounters.class);
        List<Future<Long>> good = new ArrayList<>();
        List<Future<Long>> refused = new ArrayList<>();
        try (Connection others = database.getConnection()) {
            others.setAutoCommit(false);
            others.createStatement().execute("LOCK TABLE page"); // until all have come
            for (int i = 0; i < GOOD; i++) {
                IdempotencyKey key = IdempotencyKey.of(run + i);
                String name = i % 2 == 0 ? "home" : "shop";
                good.add(callers.submit(() -> counters.increment(key, name, 1)));
                if (i % (GOOD / BAD) == 0) {
                    refused.add(callers.submit(ofBad(counters, i)));
                }
            }
            await().until(() -> app.held() == GOOD + BAD);
            others.rollback();
        }

        for (Future<Long> each : good) {
            assertThat(each.get()).isBetween(1L, GOOD / 2L);
        }
        assertThat(refused).allSatisfy(each -> assertThat(each).failsWithin(Duration.ofSeconds(30)));
        assertThat(jdbc.sql("SELECT sum(views) FROM page WHERE name <> '" + bad + "'")
                        .query(Long.class)
                        .single())
                .isEqualTo(GOOD);
    }

    private Callable<Long> ofBad(SqlCounters counters, int i) {
        return () -> counters.increment(IdempotencyKey.of(bad + i), bad, 1);
    }
}
