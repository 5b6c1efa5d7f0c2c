package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How a virtual user of Gatling sends an operation to a page until it is acknowledged. */
final class Sending {

    /*
     * Two facts about Gatling 3.15 shape this class.
     *
     * It resends a request by itself, once and without a word, when a connection from its pool ends before a response comes.
     * Under faults that would be a retry nobody counts. So where retries are counted, connections are kept alive only as
     * long as there are no faults.
     *
     * transformResponse sees every response, whatever its status, and is not called when there is none.
     */

    private static final String DELIVERY = "delivery";

    private Sending() {}

    /** Connections that users share and keep. */
    static HttpProtocolBuilder keptConnections(int port) {
        return anyConnections(port).shareConnections();
    }

    /** A connection for each request. */
    static HttpProtocolBuilder newConnections(int port) {
        return anyConnections(port).connectionHeader("close");
    }

    private static HttpProtocolBuilder anyConnections(int port) {
        return http.baseUrl("http://127.0.0.1:" + port)
                .disableWarmUp()
                .disableCaching()
                .disableAutoReferer();
    }

    /**
     * Takes an operation, and sends it until it is acknowledged.
     *
     * @param hasty how long a client in a hurry waits for a response
     */
    static ChainBuilder untilAcknowledged(String page, Duration hasty, Supplier<Delivery> deliveries) {
        return exec(session -> session.set(DELIVERY, deliveries.get()))
                .exec(asLongAs(session -> delivery(session).isUnderway()).on(attempt(page, hasty)))
                .exec(noted(Delivery::end));
    }

    private static ChainBuilder attempt(String page, Duration hasty) {
        return exec(noted(Delivery::begin))
                .exec(doIfOrElse(session -> delivery(session).isHasty())
                        .then(exec(post(page, " in a hurry").requestTimeout(hasty)))
                        .orElse(exec(post(page, ""))))
                .exec(noted(Delivery::conclude))
                .pause(session -> delivery(session).pause());
    }

    private static HttpRequestActionBuilder post(String page, String manner) {
        return http(session -> page + ": " + delivery(session).endpoint() + manner)
                .post(session -> delivery(session).endpoint().path(page))
                .header("Idempotency-Key", session -> delivery(session).key().toString())
                .check(status().in(200, 204, 409, 503))
                .transformResponse((response, session) -> {
                    delivery(session).answered(response.status().code());
                    return response;
                });
    }

    private static ChainBuilder noted(Consumer<Delivery> what) {
        return exec(session -> {
            what.accept(delivery(session));
            return session;
        });
    }

    private static Delivery delivery(Session session) {
        return Objects.requireNonNull(session.get(DELIVERY), DELIVERY);
    }
}
