package dev.fbf.client;

import feign.RequestInterceptor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Auto-configuration of an {@link IdempotentRestClientInterceptor} and, with WebFlux, of an {@link IdempotentWebClientFilter}, which the
 * application adds to the clients that should send keys. With {@code fbf.client.apply-to-all} they are added to all clients that Spring
 * Boot configures, and Feign clients get an {@link IdempotentFeignInterceptor}.
 */
@AutoConfiguration
@EnableConfigurationProperties(FbfClientProperties.class)
public final class FbfClientAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    IdempotentRestClientInterceptor fbfRestClientInterceptor(FbfClientProperties properties) {
        return new IdempotentRestClientInterceptor(properties);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ExchangeFilterFunction.class)
    static class WebFlux {

        @Bean
        @ConditionalOnMissingBean
        IdempotentWebClientFilter fbfWebClientFilter(FbfClientProperties properties) {
            return new IdempotentWebClientFilter(properties);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("fbf.client.apply-to-all")
    @ConditionalOnClass(RestClientCustomizer.class)
    static class AllRestClients {

        /** Comes first, so that the other interceptors see every attempt. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        RestClientCustomizer fbfRestClientCustomizer(IdempotentRestClientInterceptor interceptor) {
            return client -> client.requestInterceptor(interceptor);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("fbf.client.apply-to-all")
    @ConditionalOnClass({WebClientCustomizer.class, ExchangeFilterFunction.class})
    static class AllWebClients {

        /** Comes first, so that the other filters see every attempt. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebClientCustomizer fbfWebClientCustomizer(IdempotentWebClientFilter filter) {
            return client -> client.filter(filter);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("fbf.client.apply-to-all")
    @ConditionalOnClass(RequestInterceptor.class)
    static class AllFeignClients {

        @Bean
        @ConditionalOnMissingBean
        IdempotentFeignInterceptor fbfFeignInterceptor(FbfClientProperties properties) {
            return new IdempotentFeignInterceptor(properties);
        }
    }
}
