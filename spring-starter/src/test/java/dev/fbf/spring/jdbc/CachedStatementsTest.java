package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import oracle.ucp.jdbc.PoolDataSource;
import oracle.ucp.jdbc.PoolDataSourceFactory;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.apache.tomcat.jdbc.pool.interceptor.StatementCache;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.Driver;
import org.springframework.dao.DataIntegrityViolationException;

/** Counters over pools that keep statements: one that is used again may name a connection that was returned long ago. */
@Tag("slow")
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class CachedStatementsTest {

    private static final int CLIENTS = 16;
    private static final int CALLS = 10;

    @SuppressWarnings("NullAway.Init")
    private static String url;

    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final String name = UUID.randomUUID().toString();

    enum Pool {
        HIKARI {
            @Override
            DataSource open(String url) {
                HikariDataSource pool = new HikariDataSource();
                pool.setJdbcUrl(url);
                pool.setMaximumPoolSize(CONNECTIONS);
                return pool;
            }
        },
        TOMCAT {
            @Override
            DataSource open(String url) {
                PoolProperties properties = new PoolProperties();
                properties.setUrl(url);
                properties.setDriverClassName(Driver.class.getName());
                properties.setMaxActive(CONNECTIONS);
                properties.setJdbcInterceptors(StatementCache.class.getName());
                return new org.apache.tomcat.jdbc.pool.DataSource(properties);
            }
        },
        DBCP2 {
            @Override
            DataSource open(String url) {
                BasicDataSource pool = new BasicDataSource();
                pool.setUrl(url);
                pool.setMaxTotal(CONNECTIONS);
                pool.setPoolPreparedStatements(true);
                return pool;
            }
        },
        C3P0 {
            @Override
            DataSource open(String url) {
                ComboPooledDataSource pool = new ComboPooledDataSource();
                pool.setJdbcUrl(url);
                pool.setMaxPoolSize(CONNECTIONS);
                pool.setMaxStatements(50);
                return pool;
            }
        },
        AGROAL {
            @Override
            DataSource open(String url) throws SQLException {
                return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                        .connectionPoolConfiguration(pool -> pool.maxSize(CONNECTIONS)
                                .connectionFactoryConfiguration(
                                        factory -> factory.jdbcUrl(url).connectionProviderClass(Driver.class))));
            }
        },
        UCP {
            @Override
            DataSource open(String url) throws SQLException {
                PoolDataSource pool = PoolDataSourceFactory.getPoolDataSource();
                pool.setConnectionFactoryClassName(Driver.class.getName());
                pool.setURL(url);
                pool.setUser("postgres");
                pool.setPassword("postgres");
                pool.setMaxPoolSize(CONNECTIONS);
                pool.setMaxStatements(50);
                return pool;
            }
        };

        private static final int CONNECTIONS = 4;

        abstract DataSource open(String url) throws SQLException;
    }

    static Stream<Arguments> pools() {
        return Stream.of(Pool.values()).flatMap(pool -> Stream.of(Mode.values()).map(mode -> Arguments.of(pool, mode)));
    }

    @BeforeAll
    @SuppressWarnings("UnusedVariable") // the server starts
    static void start(DataSource database) {
        url = PostgresExtension.url("postgres");
    }

    @AfterEach
    void sendClientsAway() {
        clients.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource("pools")
    void incrementsAreExactAndOnlyTheBadOnesFail(Pool pool, Mode mode, @TempDir Path directory) throws Exception {
        DataSource dataSource = pool.open(url);
        try (CountingApp app = CountingApp.start(dataSource, directory, "fbf.mode=" + mode)) {
            SqlCounters counters = app.bean(SqlCounters.class);
            counters.increment(IdempotencyKey.of(name), name + "full", Long.MAX_VALUE);
            List<Future<List<Long>>> all = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                String its = name + "/" + client;
                all.add(clients.submit(() -> count(counters, its)));
            }

            List<Long> values = new ArrayList<>();
            for (Future<List<Long>> its : all) {
                values.addAll(its.get());
            }

            assertThat(values)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, CLIENTS * CALLS).boxed().toList());
            assertThat(counters.value(name)).hasValue(CLIENTS * CALLS);
        } finally {
            if (dataSource instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
    }

    private List<Long> count(SqlCounters counters, String client) {
        List<Long> values = new ArrayList<>();
        for (long i = 1; i <= CALLS; i++) {
            IdempotencyKey key = IdempotencyKey.of(client + "/" + i);
            values.add(counters.increment(key, name, 1));
            assertThat(counters.increment(key, Map.of(client + "a", 1L, client + "b", 2L)))
                    .isEqualTo(Map.of(client + "a", i, client + "b", 2 * i));
            assertThat(counters.value(client + "a")).hasValue(i);
            if (i % 5 == 0) {
                assertThatExceptionOfType(DataIntegrityViolationException.class)
                        .isThrownBy(() -> counters.increment(key, name + "full", 1));
            }
        }
        return values;
    }
}
