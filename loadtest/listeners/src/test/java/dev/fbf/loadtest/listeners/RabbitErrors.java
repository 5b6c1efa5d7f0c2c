package dev.fbf.loadtest.listeners;

import org.springframework.amqp.rabbit.retry.ImmediateRequeueMessageRecoverer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.amqp.rabbit.retry.RejectAndDontRequeueRecoverer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The page's recoverer for RabbitMQ. */
@Configuration(proxyBeanMethods = false)
class RabbitErrors {

    @Bean
    MessageRecoverer messageRecoverer() {
        MessageRecoverer requeue = new ImmediateRequeueMessageRecoverer();
        MessageRecoverer deadLetter = new RejectAndDontRequeueRecoverer();
        return (message, failure) -> (Outages.isPassing(failure) ? requeue : deadLetter).recover(message, failure);
    }
}
