package dev.fbf.sample;

import dev.fbf.client.FbfClientProperties;
import dev.fbf.client.IdempotentRestClientInterceptor;
import java.net.URI;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.support.HttpRequestWrapper;
import org.springframework.web.client.RestClient;

/** fbf's own client half: a time-ordered key, as a structured-field string. */
final class FbfClient implements PageClient {

    private final AnyNode nodes;
    private final RestClient http;

    FbfClient(AnyNode nodes) {
        this.nodes = nodes;
        FbfClientProperties properties = new Binder(new MapConfigurationPropertySource(
                        Map.of("fbf.client.max-attempts", 20, "fbf.client.delay", "20ms")))
                .bind("fbf.client", FbfClientProperties.class)
                .get();
        this.http = RestClient.builder()
                .requestInterceptor(new IdempotentRestClientInterceptor(properties))
                .requestInterceptor(toAnyNode())
                .build();
    }

    @Override
    public void view(String page) {
        http.post().uri("/pages/{page}/views", page).retrieve().toBodilessEntity();
    }

    /** Behind the client half, so that each of its tries finds a node of its own. */
    private ClientHttpRequestInterceptor toAnyNode() {
        return (request, body, execution) -> execution.execute(
                new HttpRequestWrapper(request) {

                    @Override
                    public URI getURI() {
                        return nodes.any().resolve(request.getURI());
                    }
                },
                body);
    }
}
