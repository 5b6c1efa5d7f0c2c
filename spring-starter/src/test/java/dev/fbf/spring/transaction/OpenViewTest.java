package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Requests whose session is open from their begin to their end, and has the only connection, or one of two, since its first query. */
@ParameterizedClass(name = "a pool of {0}")
@ValueSource(ints = {1, 2})
@ExtendWith(PostgresExtension.class)
@Timeout(60)
@SuppressWarnings("NullAway.Init") // set before the tests
class OpenViewTest {

    private static final int CLIENTS = 16;

    private static HikariDataSource pool;
    private static HttpApp app;

    /** Another process, with connections of its own. */
    private static HttpApp elsewhere;

    private static DataSource database;

    private final String key = UUID.randomUUID().toString();

    private CountedTable counted;

    @SuppressWarnings("UnusedVariable") // the application has them
    OpenViewTest(int connections) {}

    @BeforeParameterizedClassInvocation
    static void start(int connections, EmbeddedPostgres postgres, @TempDir Path directory) {
        database = PostgresExtension.newDatabase(postgres, "open_view");
        FbfSchema.migrate(database, null);
        CountedTable.makeIn(database);
        pool = Pools.of(database, connections);
        pool.setConnectionTimeout(3_000);
        app = start(pool, directory.resolve("here"));
        elsewhere = start(database, directory.resolve("elsewhere"));
    }

    private static HttpApp start(DataSource dataSource, Path directory) {
        return HttpApp.start(
                dataSource,
                directory,
                App.class,
                "fbf.mode=ledger",
                ConstantsOfTheTest.REGISTERED,
                HttpApp.SILENT_FAILURES);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        elsewhere.close();
        pool.close();
    }

    @BeforeEach
    void zero() {
        counted = CountedTable.makeIn(database);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/handler", "/transactional", "/bean", "/joined", "/scope", "/batch", "/counter"})
    void aRequestAndItsRetryNeedNoOtherConnection(String path) throws Exception {
        assertServed(post(app, path));
        assertServed(post(app, path));

        assertThat(total()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/handler", "/transactional", "/bean", "/joined", "/scope", "/batch", "/counter"})
    void aRetryOfWhatAnotherProcessHasAppliedNeedsNoOtherConnection(String path) throws Exception {
        assertServed(post(elsewhere, path));
        assertServed(post(app, path));

        assertThat(total()).isEqualTo(1);
    }

    @Test
    void retriesOfManyClientsAtOnceNeedNoOtherConnections() throws Exception {
        List<String> keys = IntStream.range(0, CLIENTS)
                .mapToObj(client -> key + "/" + client)
                .toList();
        for (String each : keys) {
            assertThat(elsewhere.post("/bean", "Idempotency-Key", each).statusCode())
                    .isEqualTo(200);
        }

        List<CompletableFuture<HttpResponse<String>>> retries = keys.stream()
                .map(each -> app.send("/bean", "Idempotency-Key", each))
                .toList();

        for (CompletableFuture<HttpResponse<String>> retry : retries) {
            assertThat(retry.get().body()).isEqualTo("counted before");
        }
        assertThat(counted.value()).isEqualTo(CLIENTS);
    }

    private static void assertServed(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 204);
    }

    private HttpResponse<String> post(HttpApp node, String path) throws Exception {
        return node.post(path, "Idempotency-Key", key);
    }

    private long total() {
        return counted.value() + elsewhere.bean(SqlCounters.class).value(key).orElse(0);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Pages.class, Api.class})
    static class App implements WebMvcConfigurer {

        private final OpenEntityManagerInViewInterceptor view = new OpenEntityManagerInViewInterceptor();
        private final HandlerInterceptor login;

        App(EntityManagerFactory entities, Pages pages) {
            view.setEntityManagerFactory(entities);
            login = new HandlerInterceptor() {
                @Override
                public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                    return pages.read() >= 0;
                }
            };
        }

        @Bean
        static LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            return Jpa.entities(dataSource);
        }

        @Bean
        static JpaTransactionManager transactionManager(EntityManagerFactory entities) {
            return new JpaTransactionManager(entities);
        }

        /** The session is open, and used, before the handler is called. */
        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addWebRequestInterceptor(view);
            registry.addInterceptor(login);
        }
    }

    static class Pages {

        @PersistenceContext
        @SuppressWarnings("NullAway.Init")
        private EntityManager entities;

        long read() {
            return ((Number) entities.createNativeQuery("SELECT value FROM counted")
                            .getSingleResult())
                    .longValue();
        }

        String add() {
            entities.createNativeQuery("UPDATE counted SET value = value + 1").executeUpdate();
            return "counted";
        }

        @IdempotentIncrement(scope = "bean", onDuplicate = "before")
        public String count() {
            return add();
        }

        public String before() {
            return "counted before";
        }
    }

    @RestController
    static class Api {

        private final Pages pages;
        private final IdempotentScope scope;
        private final SqlCounters counters;

        Api(Pages pages, IdempotentOperations operations, SqlCounters counters) {
            this.pages = pages;
            this.scope = operations.scope("scope");
            this.counters = counters;
        }

        @PostMapping("/handler")
        @IdempotentIncrement(scope = "handler")
        public String handler() {
            return pages.add();
        }

        @PostMapping("/transactional")
        @Transactional
        @IdempotentIncrement(scope = "transactional", sqlOnly = true)
        public String transactional() {
            return pages.add();
        }

        @PostMapping("/bean")
        public String bean() {
            return pages.count();
        }

        @PostMapping("/joined")
        @Transactional
        public String joined() {
            return pages.count();
        }

        @PostMapping("/scope")
        public boolean scope(@RequestHeader("Idempotency-Key") String key) {
            return scope.execute(IdempotencyKey.of(key), pages::add);
        }

        @PostMapping("/batch")
        public int batch(@RequestHeader("Idempotency-Key") String key) {
            return scope.executeAll(List.of(key), IdempotencyKey::of, fresh -> pages.add());
        }

        @PostMapping("/counter")
        public long counter(@RequestHeader("Idempotency-Key") String key) {
            return counters.increment(IdempotencyKey.of(key), key, 1);
        }
    }
}
