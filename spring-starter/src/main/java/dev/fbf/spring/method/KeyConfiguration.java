package dev.fbf.spring.method;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.RetryWindows;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is known of idempotency keys. */
@Configuration(proxyBeanMethods = false)
public final class KeyConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RetryWindows fbfRetryWindows(FbfProperties properties) {
        return new RetryWindows(Clock.systemUTC(), properties);
    }

    @Bean
    KeylessCalls fbfKeylessCalls() {
        return new KeylessCalls();
    }
}
