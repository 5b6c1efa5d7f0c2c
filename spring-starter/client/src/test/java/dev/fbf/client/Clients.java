package dev.fbf.client;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Clients that give up soon and hardly wait between two tries. */
final class Clients {

    /** Long enough for a response on a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private Clients() {}

    static FbfClientProperties quick(String... more) {
        return ClientProperties.of(
                Stream.concat(Stream.of("delay=2ms"), Stream.of(more)).toArray(String[]::new));
    }

    /** Makes one attempt only and leaves the rest to somebody else. */
    static FbfClientProperties once() {
        return quick("max-attempts=1");
    }

    static RestClient.Builder rest(FlakyServer server, FbfClientProperties properties) {
        return rest(server, properties, TIMEOUT);
    }

    static RestClient.Builder rest(FlakyServer server, FbfClientProperties properties, Duration timeout) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(http());
        requests.setReadTimeout(timeout);
        return RestClient.builder()
                .baseUrl(server.url())
                .requestFactory(requests)
                .requestInterceptor(new IdempotentRestClientInterceptor(properties));
    }

    static WebClient.Builder web(FlakyServer server, FbfClientProperties properties) {
        return web(server, properties, TIMEOUT);
    }

    static WebClient.Builder web(FlakyServer server, FbfClientProperties properties, Duration timeout) {
        return web(server, properties, overJdk(timeout));
    }

    static WebClient.Builder web(FlakyServer server, FbfClientProperties properties, ClientHttpConnector connector) {
        return WebClient.builder()
                .baseUrl(server.url())
                .clientConnector(connector)
                .filter(new IdempotentWebClientFilter(properties));
    }

    static ClientHttpConnector overJdk(Duration timeout) {
        JdkClientHttpConnector connector = new JdkClientHttpConnector(http());
        connector.setReadTimeout(timeout);
        return connector;
    }

    static ClientHttpConnector overNetty(Duration timeout) {
        return new ReactorClientHttpConnector(
                reactor.netty.http.client.HttpClient.create().responseTimeout(timeout));
    }

    private static HttpClient http() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }
}
