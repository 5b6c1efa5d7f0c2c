package dev.fbf.client;

import java.time.Duration;
import org.springframework.http.client.reactive.ClientHttpConnector;

/** The same over Reactor Netty, which Spring Boot's starter for WebFlux brings along. */
class WebClientOverNettyTest extends IdempotentWebClientFilterTest {

    @Override
    ClientHttpConnector connector(Duration timeout) {
        return Clients.overNetty(timeout);
    }
}
