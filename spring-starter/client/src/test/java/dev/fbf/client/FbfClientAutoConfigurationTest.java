package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;

import feign.RequestInterceptor;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.boot.webclient.autoconfigure.service.ReactiveHttpServiceClientAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.publisher.Mono;

class FbfClientAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    FbfClientAutoConfiguration.class,
                    ImperativeHttpClientAutoConfiguration.class,
                    ReactiveHttpClientAutoConfiguration.class,
                    RestClientAutoConfiguration.class,
                    HttpServiceClientPropertiesAutoConfiguration.class,
                    HttpServiceClientAutoConfiguration.class,
                    ReactiveHttpServiceClientAutoConfiguration.class,
                    WebClientAutoConfiguration.class))
            .withPropertyValues("fbf.client.delay=2ms");

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    private void post(RestClient.Builder client) {
        client.baseUrl(server.url()).build().post().uri("/views").retrieve().toBodilessEntity();
    }

    private void post(WebClient.Builder client) {
        client.baseUrl(server.url())
                .build()
                .post()
                .uri("/views")
                .retrieve()
                .toBodilessEntity()
                .block();
    }

    @Test
    void leavesClientsAloneUntilItIsTold() {
        runner.run(context -> {
            assertThat(context).doesNotHaveBean(RequestInterceptor.class);
            post(context.getBean(RestClient.Builder.class));
            post(context.getBean(WebClient.Builder.class));
        });

        assertThat(server.keys()).containsExactly(null, null);
    }

    @Test
    void appliesToAllClientsWhenToldTo() {
        server.thenAnswers(409);

        runner.withPropertyValues("fbf.client.apply-to-all=true").run(context -> {
            assertThat(context.getBean(RequestInterceptor.class)).isInstanceOf(IdempotentFeignInterceptor.class);
            post(context.getBean(RestClient.Builder.class));
            post(context.getBean(WebClient.Builder.class));
        });

        assertThat(server.triesOfEachOperation()).containsExactly(2, 1);
    }

    @ParameterizedTest
    @ValueSource(classes = {OverRestClient.class, OverWebClient.class})
    void appliesToImportedHttpInterfaces(Class<?> imported) {
        server.thenAnswers(409);

        runner.withUserConfiguration(imported)
                .withPropertyValues(
                        "fbf.client.apply-to-all=true", "spring.http.serviceclient.pages.base-url=" + server.url())
                .run(context -> context.getBean(Pages.class).view());

        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    @Test
    void comesBeforeTheInterceptorsOfOthersSoThatTheySeeEveryTry() {
        runner.withUserConfiguration(WithFailingCustomizers.class)
                .withPropertyValues("fbf.client.apply-to-all=true", "fbf.client.max-attempts=3")
                .run(context -> {
                    post(context.getBean(RestClient.Builder.class));
                    post(context.getBean(WebClient.Builder.class));
                });

        assertThat(server.triesOfEachOperation()).containsExactly(1, 1);
    }

    @Test
    void startsWithoutWebFluxAndFeign() {
        runner.withClassLoader(new FilteredClassLoader(
                        "feign", "reactor", "org.springframework.web.reactive", "org.springframework.boot.webclient"))
                .withPropertyValues("fbf.client.apply-to-all=true")
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(IdempotentRestClientInterceptor.class)
                            .hasBean("fbfRestClientCustomizer")
                            .doesNotHaveBean("fbfWebClientFilter")
                            .doesNotHaveBean("fbfWebClientCustomizer")
                            .doesNotHaveBean("fbfFeignInterceptor");
                    post(context.getBean(RestClient.Builder.class));
                });

        assertThat(server.triesOfEachOperation()).containsExactly(1);
    }

    interface Pages {

        @PostExchange("/views")
        String view();
    }

    @Configuration
    @ImportHttpServices(group = "pages", types = Pages.class)
    static class OverRestClient {}

    @Configuration
    @ImportHttpServices(group = "pages", types = Pages.class, clientType = ClientType.WEB_CLIENT)
    static class OverWebClient {}

    /** Fail at each client's first two tries; only a retry from outside gets past them. */
    @Configuration
    static class WithFailingCustomizers {

        private int restTries;
        private int webTries;

        @Bean
        RestClientCustomizer failing() {
            return client -> client.requestInterceptor((request, body, execution) -> {
                if (++restTries < 3) {
                    throw new IOException("lost");
                }
                return execution.execute(request, body);
            });
        }

        @Bean
        WebClientCustomizer failingToo() {
            return client -> client.filter(
                    (request, next) -> ++webTries < 3 ? Mono.error(new IOException("lost")) : next.exchange(request));
        }
    }
}
