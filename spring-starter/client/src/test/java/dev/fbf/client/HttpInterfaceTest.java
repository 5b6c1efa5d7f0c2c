package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.publisher.Mono;

class HttpInterfaceTest {

    interface Pages {

        @PostExchange("/pages/{page}/views")
        String view(@PathVariable String page, @RequestBody String body);

        @PostExchange("/pages/{page}/views")
        String view(@PathVariable String page, @RequestBody String body, @RequestHeader("Idempotency-Key") String key);

        @GetExchange("/pages/{page}")
        String read(@PathVariable String page);
    }

    interface ReactivePages extends Pages {

        @PostExchange("/pages/{page}/views")
        Mono<String> viewLater(@PathVariable String page, @RequestBody String body);
    }

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    private static <T> T proxy(Class<T> type, HttpExchangeAdapter client) {
        return HttpServiceProxyFactory.builderFor(client).build().createClient(type);
    }

    @Test
    void overARestClientAMethodsRetriesHaveOneKey() {
        assertOneKeyForEachCall(proxy(
                Pages.class,
                RestClientAdapter.create(Clients.rest(server, Clients.quick()).build())));
    }

    @Test
    void overAWebClientAMethodsRetriesHaveOneKey() {
        assertOneKeyForEachCall(proxy(
                Pages.class,
                WebClientAdapter.create(Clients.web(server, Clients.quick()).build())));
    }

    @Test
    void overAWebClientAReactiveMethodsRetriesHaveOneKey() {
        ReactivePages pages = proxy(
                ReactivePages.class,
                WebClientAdapter.create(Clients.web(server, Clients.quick()).build()));
        server.thenLosesTheResponse();

        assertThat(pages.viewLater("home", "hello").block()).isEqualTo("done");

        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    private void assertOneKeyForEachCall(Pages pages) {
        server.thenLosesTheResponse().thenAnswers(409);

        assertThat(pages.view("home", "hello")).isEqualTo("done");
        assertThat(pages.view("home", "hello", "mine")).isEqualTo("done");
        assertThat(server.triesOfEachOperation()).containsExactly(3, 1);

        assertThat(pages.read("home")).isEqualTo("done");
        assertThat(server.keys().subList(3, 5)).containsExactly("mine", null);
    }
}
