package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.method.GuardedMethods;
import dev.fbf.spring.method.KeyHeader;
import dev.fbf.spring.method.OperationResolver;
import dev.fbf.spring.operation.HttpRequests;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.Scopes;
import dev.fbf.spring.web.FingerprintedRequest.FingerprintFilter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.handler.MappedInterceptor;

/** Auto-configuration of the HTTP contract for web applications. */
@AutoConfiguration(afterName = "dev.fbf.spring.operation.FbfOperationAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HttpServletRequest.class, HandlerExceptionResolver.class})
public final class FbfWebAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(OperationGuards.class)
    @ConditionalOnBooleanProperty(name = "fbf.enabled", matchIfMissing = true)
    @Order(0) // before Unguarded
    static class WebMvc {

        @Bean
        HttpRequests fbfServletRequests() {
            return GuardedRequest::current;
        }

        /** Runs before filters that read the request's parameters or body. */
        @Bean
        FilterRegistrationBean<FingerprintFilter> fbfFingerprintFilter(FbfProperties properties, Scopes scopes) {
            FilterRegistrationBean<FingerprintFilter> registration =
                    new FilterRegistrationBean<>(new FingerprintFilter(properties, scopes));
            registration.setEnabled(scopes.compareRequests());
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
            return registration;
        }

        @Bean
        FirstResponses fbfFirstResponses(FbfProperties properties) {
            return new FirstResponses(properties.responses());
        }

        @Bean
        MappedInterceptor fbfGuardedRequests(FirstResponses responses) {
            return new MappedInterceptor(null, responses);
        }

        @Bean
        static WrittenValues fbfWrittenValues(ObjectProvider<FirstResponses> responses) {
            return new WrittenValues(responses::getObject);
        }

        @Bean
        KeyedHandlers fbfKeyedHandlers(ObjectProvider<OperationResolver> operations) {
            return new KeyedHandlers((request, handler, required) ->
                    operations.getObject().keyOf(Objects.requireNonNull(GuardedRequest.current()), handler, required));
        }

        @Bean
        HttpContract fbfHttpContract(
                FbfProperties properties,
                @Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> handlers) {
            return new HttpContract(properties.key().header(), handlers::getObject);
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(GlobalOperationCustomizer.class)
        static class Springdoc {

            @Bean
            OpenApi fbfOpenApi(FbfProperties properties, Scopes scopes, GuardedMethods methods) {
                return new OpenApi(properties, scopes, methods);
            }
        }
    }

    /**
     * Handlers without a guard get the key of their request, or a random key if they require one: the guard is disabled, or there is none, as
     * in a test of the web layer alone.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(KeyedHandlers.class)
    @EnableConfigurationProperties(FbfProperties.class)
    static class Unguarded {

        @Bean
        KeyedHandlers fbfKeyedHandlers(ObjectProvider<FbfProperties> properties) {
            return new KeyedHandlers((request, handler, required) -> {
                String name = properties.getObject().key().header();
                List<String> lines = Collections.list(request.getHeaders(name));
                if (lines.isEmpty()) {
                    return required ? IdempotencyKey.of(UUID.randomUUID()) : null;
                }
                try {
                    return IdempotencyKey.of(new KeyHeader(name).read(null, lines));
                } catch (IdempotencyKeyException e) {
                    throw new ResponseStatusException(HttpStatus.BAD_REQUEST, e.detail(), e);
                }
            });
        }
    }
}
