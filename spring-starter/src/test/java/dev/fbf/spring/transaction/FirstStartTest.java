package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The first start of an application on an empty database: with each pool, however the application makes its own tables. */
@ExtendWith(PostgresExtension.class)
@Tag("slow")
class FirstStartTest {

    private static final String DATABASE = "first_start";

    @TempDir
    private Path directory;

    private enum Pool {
        HIKARI(HikariDataSource.class.getName()),
        TOMCAT(org.apache.tomcat.jdbc.pool.DataSource.class.getName()),
        DBCP(BasicDataSource.class.getName());

        private final String type;

        Pool(String type) {
            this.type = type;
        }
    }

    /** What makes the application's own tables, by properties. */
    private enum Initialization {
        FLYWAY("--spring.flyway.enabled=true", "--spring.flyway.locations=classpath:first-start/flyway"),
        LIQUIBASE(
                "--spring.liquibase.enabled=true", "--spring.liquibase.change-log=classpath:first-start/liquibase.sql"),
        SCRIPT("--spring.sql.init.mode=always", "--spring.sql.init.schema-locations=classpath:first-start/schema.sql"),
        NONE("--spring.sql.init.mode=never", "--spring.flyway.enabled=false");

        private final String how;
        private final String where;

        Initialization(String how, String where) {
            this.how = how;
            this.where = where;
        }
    }

    /** Each pool and each initialization: neither knows of the other. */
    private static Stream<Arguments> poolsAndInitializations() {
        return Stream.concat(
                Stream.of(Pool.values()).map(pool -> Arguments.of(pool, Initialization.FLYWAY)),
                Stream.of(Initialization.LIQUIBASE, Initialization.SCRIPT, Initialization.NONE)
                        .map(initialization -> Arguments.of(Pool.HIKARI, initialization)));
    }

    @ParameterizedTest
    @MethodSource("poolsAndInitializations")
    void isUpAndCounts(Pool pool, Initialization initialization, EmbeddedPostgres postgres) {
        JdbcClient database = JdbcClient.create(PostgresExtension.newDatabase(postgres, DATABASE));
        if (initialization == Initialization.NONE) {
            database.sql("CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                    .update();
        }

        try (ConfigurableApplicationContext app = start(pool, initialization)) {
            assertThat(app.getBean(DataSource.class).getClass().getName()).isEqualTo(pool.type);
            PageViews pages = app.getBean(PageViews.class);
            for (String key : new String[] {"a", "a", "b"}) {
                pages.add(key);
            }
        }
        assertThat(database.sql("SELECT views FROM page").query(Long.class).single())
                .isEqualTo(2);
    }

    private ConfigurableApplicationContext start(Pool pool, Initialization initialization) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + PostgresExtension.url(DATABASE),
                        "spring.datasource.type=" + pool.type,
                        "fbf.expected-operations-per-second=10",
                        "fbf.directory=" + directory)
                .run(initialization.how, initialization.where);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PageViews.class)
    static class Application {}

    static class PageViews {

        private final JdbcClient jdbc;

        /** Spring Boot makes a JdbcClient after the application's tables, a data source before. */
        PageViews(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "page-views", key = "#key")
        void add(String key) {
            jdbc.sql("INSERT INTO page VALUES ('home', 1) ON CONFLICT (name) DO UPDATE SET views = page.views + 1")
                    .update();
        }
    }
}
