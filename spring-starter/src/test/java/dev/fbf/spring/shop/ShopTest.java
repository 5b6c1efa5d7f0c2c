package dev.fbf.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestConstructor;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.transaction.annotation.Transactional;

/** Tests of a whole application on H2 meet the contract of production. */
@SpringBootTest(classes = ShopApplication.class, properties = "spring.datasource.url=jdbc:h2:mem:shop")
@AutoConfigureMockMvc
@TestConstructor(autowireMode = TestConstructor.AutowireMode.ALL)
class ShopTest {

    private final MockMvcTester mvc;
    private final Orders orders;
    private final Stock stock;
    private final JdbcClient jdbc;
    private final int before;

    ShopTest(MockMvcTester mvc, Orders orders, Stock stock, JdbcClient jdbc) {
        this.mvc = mvc;
        this.orders = orders;
        this.stock = stock;
        this.jdbc = jdbc;
        before = stock.pieces("bolt");
    }

    @Test
    void aRetryGetsTheFirstResponse() {
        var request = mvc.post().uri("/orders/bolt").header("Idempotency-Key", UUID.randomUUID());

        assertThat(request).hasBodyTextEqualTo(before - 1 + "").doesNotContainHeader("Idempotent-Replayed");
        assertThat(request).hasBodyTextEqualTo(before - 1 + "").hasHeader("Idempotent-Replayed", "true");
        assertThat(stock.pieces("bolt")).isEqualTo(before - 1);
    }

    @Test
    void aMissingKeyGets400AndAnotherRequestWithTheSameKey422() {
        assertThat(mvc.post().uri("/orders/bolt")).hasStatus(400).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(mvc.post().uri("/orders/bolt").header("Idempotency-Key", "reused"))
                .hasStatusOk();
        assertThat(mvc.post().uri("/orders/nut").header("Idempotency-Key", "reused"))
                .hasStatus(422);
    }

    @Test
    void inAStandaloneMockMvcRefusalsAndReplaysAreExceptions() {
        MockMvcTester standalone = MockMvcTester.of(orders);
        var request = standalone.post().uri("/orders/bolt").header("Idempotency-Key", UUID.randomUUID());

        assertThat(request).hasBodyTextEqualTo(before - 1 + "");
        assertThat(request).hasFailed();
        assertThat(standalone.post().uri("/orders/bolt")).hasFailed();
        assertThat(stock.pieces("bolt")).isEqualTo(before - 1);
    }

    @Test
    void operationsAreNewAgainAfterTheLedgerWasEmptied() {
        var request = mvc.post().uri("/orders/bolt").header("Idempotency-Key", "emptied");

        assertThat(request).hasStatusOk();
        jdbc.sql("DELETE FROM fbf_ledger").update();
        assertThat(request).hasBodyTextEqualTo(before - 2 + "").doesNotContainHeader("Idempotent-Replayed");
    }

    @Test
    @Transactional
    void aTestThatRollsBackForgetsItsOperations() {
        deliverTwice();
    }

    @Test
    @Transactional
    void anotherTestThatRollsBackForgetsItsOperations() {
        deliverTwice();
    }

    private void deliverTwice() {
        stock.deliver("delivery", "bolt");
        stock.deliver("delivery", "bolt");

        assertThat(stock.pieces("bolt")).isEqualTo(before + 1);
    }
}
