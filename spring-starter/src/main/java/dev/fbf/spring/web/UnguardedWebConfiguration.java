package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Where the guard is switched off, handlers get the key that their request has, or one of its own if they need one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HttpServletRequest.class, HandlerExceptionResolver.class})
public final class UnguardedWebConfiguration {

    @Bean
    static KeyedHandlers fbfKeyedHandlers(ObjectProvider<FbfProperties> properties) {
        return new KeyedHandlers((request, handler, required) -> {
            String key = request.getHeader(properties.getObject().key().header());
            if (key == null || key.isBlank()) {
                return required ? IdempotencyKey.of(UUID.randomUUID()) : null;
            }
            return IdempotencyKey.of(key);
        });
    }
}
