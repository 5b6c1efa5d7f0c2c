package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * A database behind a proxy that accepts connections and closes them, as one does whose servers are all down. The driver finds an {@link
 * java.io.EOFException}, which Spring MVC takes for a client that has gone.
 */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
@Tag("slow")
class DatabaseOutageTest {

    private static final DelegatingDataSource dataSource = new DelegatingDataSource();

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    private final String key = UUID.randomUUID().toString();

    private DataSource database;
    private CountedTable counted;

    @SuppressWarnings("UnusedVariable") // the application has it
    DatabaseOutageTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource database, @TempDir Path directory) {
        dataSource.setTargetDataSource(database);
        app = HttpApp.start(dataSource, directory, Beans.class, "fbf.mode=" + mode, HttpApp.SILENT_FAILURES);
    }

    @BeforeEach
    void begin(DataSource database) {
        this.database = database;
        counted = CountedTable.makeIn(database);
    }

    @AfterEach
    void reconnect() {
        dataSource.setTargetDataSource(database);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/own",
                "/transactional",
                "/outer",
                "/scope",
                "/counter",
                "/new",
                "/argument",
                "/argument-transactional"
            })
    void aRequestIsToBeRetriedAndIsAppliedOnceThen(String path) throws Exception {
        try (ServerSocket proxy = closingProxy()) {
            dataSource.setTargetDataSource(behind(proxy));
            assertUnreachable(post(path));
        }
        reconnect();

        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(post(path).statusCode()).isBetween(200, 204);
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aRequestWithoutAKeyWhereNoneIsNeededIsNotTakenForServedEither() throws Exception {
        try (ServerSocket proxy = closingProxy()) {
            dataSource.setTargetDataSource(behind(proxy));
            assertUnreachable(app.post("/keyless"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/own", "/transactional", "/outer", "/scope"})
    void aConnectionThatBreaksBeforeTheCommitIsReason(String path) throws Exception {
        Beans.beforeReturn = () -> terminate();

        assertUnreachable(post(path));

        Beans.beforeReturn = () -> {};
        assertThat(post(path).statusCode()).isEqualTo(200);
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void whatTheApplicationThrowsForOtherReasonsPasses() throws Exception {
        Beans.beforeReturn = () -> {
            try {
                terminate();
            } catch (DataAccessException e) {
                throw new IllegalArgumentException("mine");
            }
        };

        assertThat(post("/own").statusCode()).isEqualTo(500);

        Beans.beforeReturn = () -> {};
        assertThat(post("/own").statusCode()).isEqualTo(200);
        assertThat(total()).isEqualTo(1);
    }

    private static void assertUnreachable(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(response.body()).contains("tag:fbf.dev,2026:problem:unreachable");
    }

    private HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return app.post(path, "Idempotency-Key", key);
    }

    private long total() {
        return counted.value()
                + JdbcClient.create(database)
                        .sql("SELECT count(*) FROM fbf_counter WHERE name = ?")
                        .param(key)
                        .query(Long.class)
                        .single();
    }

    /** As an administrator does, or the server when it stops. */
    private static void terminate() {
        JdbcClient.create(dataSource)
                .sql("SELECT pg_terminate_backend(pg_backend_pid())")
                .query()
                .singleValue();
    }

    private static ServerSocket closingProxy() throws IOException {
        ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (!proxy.isClosed()) {
                try {
                    proxy.accept().close();
                } catch (IOException e) {
                    return;
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return proxy;
    }

    private static DataSource behind(ServerSocket proxy) {
        PGSimpleDataSource behind = new PGSimpleDataSource();
        behind.setServerNames(new String[] {"localhost"});
        behind.setPortNumbers(new int[] {proxy.getLocalPort()});
        behind.setUser("postgres");
        behind.setDatabaseName("postgres");
        return behind;
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        static volatile Runnable beforeReturn = () -> {};

        @Bean
        SqlCounters counters(SqlCounters.Builder builder) {
            return builder.build();
        }

        @Bean
        Inner inner() {
            return new Inner();
        }

        @Bean
        Api api(
                Inner inner,
                IdempotentOperations operations,
                SqlCounters counters,
                PlatformTransactionManager transactions) {
            return new Api(inner, operations, counters, transactions);
        }
    }

    private static void count() {
        JdbcClient.create(dataSource)
                .sql("UPDATE counted SET value = value + 1")
                .update();
        Beans.beforeReturn.run();
    }

    static class Inner {

        @IdempotentIncrement(scope = "inner", onDuplicate = "before")
        public String count() {
            DatabaseOutageTest.count();
            return "counted";
        }

        public String before() {
            return "counted before";
        }
    }

    @RestController
    static class Api {

        private final Inner inner;
        private final IdempotentOperations operations;
        private final SqlCounters counters;
        private final TransactionTemplate requiresNew;

        Api(
                Inner inner,
                IdempotentOperations operations,
                SqlCounters counters,
                PlatformTransactionManager transactions) {
            this.inner = inner;
            this.operations = operations;
            this.counters = counters;
            requiresNew = new TransactionTemplate(transactions);
            requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @PostMapping("/own")
        @IdempotentIncrement(scope = "own")
        public String own() {
            count();
            return "counted";
        }

        @PostMapping("/transactional")
        @Transactional
        @IdempotentIncrement(scope = "transactional")
        public String transactional() {
            count();
            return "counted";
        }

        @PostMapping("/outer")
        @Transactional
        public String outer() {
            return inner.count();
        }

        @PostMapping("/keyless")
        @IdempotentIncrement(scope = "keyless", keyRequired = false)
        public String keyless() {
            count();
            return "counted";
        }

        @PostMapping("/scope")
        public String scope(@RequestHeader("Idempotency-Key") String key) {
            operations.scope("scope").execute(IdempotencyKey.of(key), () -> count());
            return "counted";
        }

        @PostMapping("/counter")
        public long counter(@RequestHeader("Idempotency-Key") String key) {
            return counters.increment(IdempotencyKey.of(key), key, 1);
        }

        @PostMapping("/argument")
        public long argument(IdempotencyKey key) {
            return counters.increment(key, key.value(), 1);
        }

        @PostMapping("/argument-transactional")
        @Transactional
        public long argumentInTransaction(IdempotencyKey key) {
            return counters.increment(key, key.value(), 1);
        }

        /** A transaction of its own within the guarded one: what fails then has not applied anything either. */
        @PostMapping("/new")
        @IdempotentIncrement(scope = "new")
        public String inNewTransaction() {
            requiresNew.executeWithoutResult(status -> count());
            return "counted";
        }
    }
}
