package dev.fbf.spring.test;

import static dev.fbf.spring.test.FbfMockMvc.fbf;
import static dev.fbf.spring.test.FbfMockMvc.idempotencyKey;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestConstructor;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionTemplate;

/** An application on H2 in {@code @SpringBootTest}: the contract of production, without a property. */
@SpringBootTest(
        classes = ShopApplication.class,
        properties = {
            "fbf.scopes.visits.mode=filter",
            "spring.datasource.url=jdbc:h2:mem:shop",
            "spring.sql.init.data-locations=classpath:stock.sql",
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration"
        })
@AutoConfigureMockMvc
@TestConstructor(autowireMode = TestConstructor.AutowireMode.ALL)
class H2Test {

    private final ApplicationContext context;
    private final MockMvcTester mvc;
    private final Orders orders;
    private final Stock stock;
    private final SqlCounters counters;
    private final TransactionTemplate transaction;
    private final String item = UUID.randomUUID().toString();

    H2Test(
            ApplicationContext context,
            MockMvcTester mvc,
            Orders orders,
            Stock stock,
            SqlCounters counters,
            TransactionTemplate transaction) {
        this.context = context;
        this.mvc = mvc;
        this.orders = orders;
        this.stock = stock;
        this.counters = counters;
        this.transaction = transaction;
    }

    @Test
    void batchesAreAppliedWithoutThoseThatWereAppliedBefore() {
        IdempotentScope deliveries = context.getBean(IdempotentOperations.class).scope("deliveries");
        List<String> worked = new ArrayList<>();

        assertThat(deliveries.executeAll(List.of("a", "b", "a"), IdempotencyKey::of, worked::addAll))
                .isEqualTo(2);
        assertThat(deliveries.executeAll(List.of("b", "c"), IdempotencyKey::of, worked::addAll))
                .isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> deliveries.executeAll(List.of("d"), IdempotencyKey::of, items -> {
                    throw new IllegalStateException("failed");
                }));
        assertThat(deliveries.executeAll(
                        List.of("d"),
                        IdempotencyKey::of,
                        items -> TransactionInterceptor.currentTransactionStatus()
                                .setRollbackOnly()))
                .isZero();
        assertThat(deliveries.executeAll(List.of("a", "d"), IdempotencyKey::of, worked::addAll))
                .isEqualTo(1);
        assertThat(worked).containsExactly("a", "b", "c", "d");
    }

    @Test
    void retriesOfManyThreadsCountOnce() throws Exception {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            keys.add(item + "-" + i % 100);
        }
        ExecutorService clients = Executors.newFixedThreadPool(8);
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (String key : keys) {
            calls.add(() -> {
                try {
                    return stock.add(key, "bolt") == 1;
                } catch (DuplicateOperationException | OperationInProgressException e) {
                    return false;
                }
            });
        }
        int before = stock.pieces("bolt");
        int applied = 0;
        for (Future<Boolean> each : clients.invokeAll(calls)) {
            applied += each.get() ? 1 : 0;
        }
        clients.shutdown();

        assertThat(applied).isEqualTo(100);
        assertThat(stock.pieces("bolt") - before).isEqualTo(100);
    }

    @Test
    void aRetryGetsTheFirstResponse() {
        var request = mvc.post().uri("/orders/" + item).with(idempotencyKey());

        assertThat(request).hasStatusOk().hasBodyTextEqualTo(item + " 1").doesNotContainHeader("Idempotent-Replayed");
        assertThat(request).hasStatusOk().hasBodyTextEqualTo(item + " 1").hasHeader("Idempotent-Replayed", "true");
        assertThat(counters.value(item)).hasValue(1);
    }

    @Test
    void aRetryGetsTheFirstResponseEvenWithOnDuplicate() {
        assertThat(mvc.post().uri("/visits/" + item).with(idempotencyKey("visit")))
                .hasBodyTextEqualTo("1");
        assertThat(mvc.post().uri("/visits/" + item).header("Idempotency-Key", "visit"))
                .hasBodyTextEqualTo("1")
                .hasHeader("Idempotent-Replayed", "true");
    }

    @Test
    void aMissingKeyGets400AndAnotherRequestWithTheSameKey422() {
        assertThat(mvc.post().uri("/orders/" + item)).hasStatus(400).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)).content("one"))
                .hasStatusOk();
        assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)).content("another"))
                .hasStatus(422);
        assertThat(counters.value(item)).hasValue(1);
    }

    @Test
    void whatIsInProgressGets409() throws Exception {
        CountDownLatch counted = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        orders.hold(counted, gate);
        ExecutorService other = Executors.newSingleThreadExecutor();
        Future<?> first = other.submit(() ->
                mvc.post().uri("/orders/" + item).with(idempotencyKey(item)).exchange());
        try {
            counted.await();
            assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)))
                    .hasStatus(409)
                    .containsHeader("Retry-After");
        } finally {
            gate.countDown();
            first.get();
            other.shutdown();
        }

        assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)))
                .hasStatusOk()
                .hasHeader("Idempotent-Replayed", "true");
    }

    @Test
    void whatFailsIsNewAgain() {
        assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)).content("fail"))
                .hasFailed();
        assertThat(counters.value(item)).isEmpty();
        assertThat(mvc.post().uri("/orders/" + item).with(idempotencyKey(item)).content("pass"))
                .hasBodyTextEqualTo(item + " 1");
    }

    @Test
    void aTransactionThatRollsBackIsNotRememberedAndOneThatCommitsIs() {
        int before = stock.pieces("bolt");
        transaction.executeWithoutResult(status -> {
            stock.add(item, "bolt");
            assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> stock.add(item, "bolt"));
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> stock.add(item, "bolt"));

        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> stock.add(item, "bolt"));
        assertThatIllegalStateException().isThrownBy(() -> stock.add("broken" + item, "bolt"));
        assertThatIllegalStateException().isThrownBy(() -> stock.add("broken" + item, "bolt"));
        assertThat(stock.pieces("bolt") - before).isEqualTo(1);
    }

    @Test
    void whatASavepointUndoesIsNewAgain() {
        int before = stock.pieces("bolt");
        transaction.executeWithoutResult(status -> {
            stock.add(item, "bolt");
            Object savepoint = status.createSavepoint();
            stock.add("later" + item, "bolt");
            status.rollbackToSavepoint(savepoint);
        });

        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> stock.add(item, "bolt"));
        assertThat(stock.add("later" + item, "bolt")).isEqualTo(1);
        assertThat(stock.pieces("bolt") - before).isEqualTo(2);
    }

    @Test
    void aReadOnlyTransactionCannotApply() {
        TransactionTemplate reading = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        reading.setReadOnly(true);

        assertThatIllegalStateException()
                .isThrownBy(() -> reading.executeWithoutResult(status -> stock.add(item, "bolt")))
                .withMessageContaining("read-only");
    }

    @Test
    void nothingIsOnDisk() {
        assertThat(Files.exists(context.getBean(FbfProperties.class).directory()))
                .isFalse();
    }

    @Test
    void aStandaloneMockMvcRespondsAsTheApplication() throws Exception {
        MockMvc standalone =
                MockMvcBuilders.standaloneSetup(orders).apply(fbf(context)).build();

        assertThat(standalone.perform(post("/orders/" + item)).andReturn().getResponse())
                .satisfies(response -> {
                    assertThat(response.getStatus()).isEqualTo(400);
                    assertThat(response.getContentType()).isEqualTo("application/problem+json");
                });
        for (String replayed : new String[] {null, "true"}) {
            var response = standalone
                    .perform(post("/orders/" + item).with(idempotencyKey(item)))
                    .andReturn()
                    .getResponse();
            assertThat(response.getContentAsString(UTF_8)).isEqualTo(item + " 1");
            assertThat(response.getHeader("Idempotent-Replayed")).isEqualTo(replayed);
        }
    }

    @Test
    void aHandlerCountsWithTheKeyOfItsRequestInAStandaloneMockMvcToo() throws Exception {
        MockMvc standalone =
                MockMvcBuilders.standaloneSetup(orders).apply(fbf(context)).build();

        for (String path : List.of("/views/" + item, "/views/" + item, "/views/" + item + "/twice")) {
            var response = standalone
                    .perform(post(path).with(idempotencyKey(path)))
                    .andReturn()
                    .getResponse();
            assertThat(response.getContentAsString(UTF_8)).isEqualTo(path.endsWith("twice") ? "3" : "1");
        }
        assertThat(counters.value(item)).hasValue(3);
    }

    @Test
    void aRestTestClientSendsAKey() {
        RestTestClient client = RestTestClient.bindTo(MockMvcBuilders.standaloneSetup(orders)
                        .apply(fbf(context))
                        .build())
                .build();
        var key = FbfRestTestClient.idempotencyKey();

        for (int i = 0; i < 2; i++) {
            client.post()
                    .uri("/orders/" + item)
                    .headers(key)
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectBody(String.class)
                    .isEqualTo(item + " 1");
        }
    }

    @Test
    @Transactional
    void aTransactionOfTheTestKnowsItsOperations(@Autowired PlatformTransactionManager manager) {
        stock.add(item, "nut");
        assertThatExceptionOfType(DuplicateOperationException.class).isThrownBy(() -> stock.add(item, "nut"));

        TransactionTemplate other = new TransactionTemplate(manager);
        other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        assertThatExceptionOfType(OperationInProgressException.class)
                .isThrownBy(() -> other.executeWithoutResult(status -> stock.add(item, "bolt")));
    }
}
