package dev.fbf.loadtest.listeners;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

/** The page's error handler for Kafka. */
@Configuration(proxyBeanMethods = false)
class KafkaErrors {

    @Bean
    DefaultErrorHandler listenerErrorHandler() {
        BackOff untilApplied = new ExponentialBackOff(1_000, 2); // at most 30 seconds apart, without limit
        DefaultErrorHandler handler = new DefaultErrorHandler(untilApplied);
        handler.setBackOffFunction(
                (message, failure) -> Outages.isPassing(failure) ? untilApplied : new FixedBackOff(1_000, 9));
        handler.setResetStateOnExceptionChange(true); // for batches
        return handler;
    }
}
