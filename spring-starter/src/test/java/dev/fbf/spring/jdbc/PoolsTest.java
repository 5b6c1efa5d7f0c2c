package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** A method that adds to a counter and then reads, on each pool; and what the next transaction on its connection can do. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class PoolsTest {

    enum Pool {
        HIKARI,
        DBCP2,
        TOMCAT;

        DataSource to(String url) {
            switch (this) {
                case HIKARI -> {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setJdbcUrl(url);
                    pool.setMaximumPoolSize(2);
                    return pool;
                }
                case DBCP2 -> {
                    BasicDataSource pool = new BasicDataSource();
                    pool.setUrl(url);
                    pool.setMaxTotal(2);
                    return pool;
                }
                case TOMCAT -> {
                    org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
                    pool.setUrl(url);
                    pool.setDriverClassName("org.postgresql.Driver");
                    pool.setMaxActive(2);
                    return pool;
                }
            }
            throw new IllegalStateException("pool=" + this);
        }
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void theNextTransactionOnTheConnectionMayWrite(Pool pool, EmbeddedPostgres postgres) {
        DataSource dataSource = pool.to(postgres.getJdbcUrl("postgres", "postgres"));
        FbfSchema.migrate(dataSource);
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DELETE FROM fbf_counter").update();

        try (CountingApp app = start(dataSource)) {
            for (int i = 1; i <= 4; i++) {
                assertThat(app.bean(Votes.class).vote("key-" + i)).isEqualTo(i);
                app.transaction.executeWithoutResult(status -> assertThat(
                                jdbc.sql("UPDATE fbf_counter SET value = value").update())
                        .isEqualTo(1));
            }
        }
    }

    /** As applications have it that send their reads to replicas. */
    @Test
    void whatAMethodReadsAfterItsIncrementIsNotReadFromAReplica(DataSource dataSource, EmbeddedPostgres postgres) {
        DataSource replica = PostgresExtension.newDatabase(postgres, "replica");
        FbfSchema.migrate(replica);
        JdbcClient.create(replica)
                .sql("INSERT INTO fbf_counter VALUES ('votes', 41)")
                .update();
        FbfSchema.migrate(dataSource);
        JdbcClient.create(dataSource).sql("DELETE FROM fbf_counter").update();
        LazyConnectionDataSourceProxy routing = new LazyConnectionDataSourceProxy(dataSource);
        routing.setReadOnlyDataSource(replica);

        try (CountingApp app = start(routing)) {
            assertThat(app.bean(Votes.class).vote("key")).isEqualTo(1);
        }
    }

    private CountingApp start(DataSource dataSource) {
        return CountingApp.start(directory, new String[0], context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    Votes.class, () -> new Votes(context.getBean(SqlCounters.class), JdbcClient.create(dataSource)));
        });
    }

    static class Votes {

        private final SqlCounters counters;
        private final JdbcClient jdbc;

        Votes(SqlCounters counters, JdbcClient jdbc) {
            this.counters = counters;
            this.jdbc = jdbc;
        }

        @IdempotentIncrement(key = "#key", sqlOnly = true)
        long vote(String key) {
            counters.increment("votes");
            return jdbc.sql("SELECT value FROM fbf_counter WHERE name = 'votes'")
                    .query(Long.class)
                    .single();
        }
    }
}
