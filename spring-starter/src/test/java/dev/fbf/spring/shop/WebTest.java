package dev.fbf.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

import org.junit.jupiter.api.Test;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.TestConstructor;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** A test of the web layer has no data source, so its handlers are called each time, with a key and without. */
@WebMvcTest(Orders.class)
@TestConstructor(autowireMode = TestConstructor.AutowireMode.ALL)
class WebTest {

    private final MockMvcTester mvc;

    @MockitoBean
    @SuppressWarnings("NullAway.Init")
    private Stock stock;

    WebTest(MockMvcTester mvc) {
        this.mvc = mvc;
    }

    @Test
    void aGuardedHandlerIsCalledEachTime() {
        given(stock.take("bolt")).willReturn(99, 98);
        var request = mvc.post().uri("/orders/bolt");

        assertThat(request.header("Idempotency-Key", "key")).hasBodyTextEqualTo("99");
        assertThat(request.header("Idempotency-Key", "key")).hasBodyTextEqualTo("98");
        assertThat(mvc.post().uri("/orders/bolt")).hasStatusOk();
    }

    @Test
    void aHandlerGetsTheKeyOfItsRequest() {
        for (String sent : new String[] {"key", "\"key\""}) {
            assertThat(mvc.post().uri("/keys").header("Idempotency-Key", sent)).hasBodyTextEqualTo("key");
        }
        assertThat(mvc.post().uri("/keys").header("Idempotency-Key", "\"key")).hasStatus(400);
        assertThat(mvc.post().uri("/optional-keys").header("Idempotency-Key", "key"))
                .hasBodyTextEqualTo("key");
        assertThat(mvc.post().uri("/optional-keys")).hasBodyTextEqualTo("none");
        assertThat(mvc.post().uri("/keys")).hasStatusOk();
    }
}
