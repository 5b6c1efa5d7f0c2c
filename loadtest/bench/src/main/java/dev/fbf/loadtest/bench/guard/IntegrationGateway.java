package dev.fbf.loadtest.bench.guard;

import org.springframework.integration.annotation.MessagingGateway;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.transaction.annotation.Transactional;

/** The way in to {@link IntegrationService}; whatever is behind it is one transaction. */
@MessagingGateway(defaultRequestChannel = IntegrationService.CHANNEL)
interface IntegrationGateway {

    @Transactional
    void increment(@Payload int counter, @Header(IntegrationService.KEY) String key);
}
