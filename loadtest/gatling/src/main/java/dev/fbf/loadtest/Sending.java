package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.doSwitch;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.onCase;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** How Gatling's virtual users send operations to one page until they are acknowledged. */
final class Sending {

    /*
     * Three facts about Gatling 3.15 shape this class.
     *
     * It resends a request by itself, once and without a word, when a connection from its pool ends before a response comes.
     * Under faults that would be a retry nobody counts. So where retries are counted, connections are kept alive only as
     * long as there are no faults.
     *
     * Requests run at the same time only as "resources" of another one, and what the check of one resource saves in the
     * session is lost when the next resource is done. So responses are noted through transformResponse, in a Delivery that all
     * copies of a user's session share. A user's requests, responses and timeouts are all handled by one thread.
     *
     * transformResponse sees every response, whatever its status, and is not called when there is none.
     */

    private static final String DELIVERY = "delivery";
    private static final String KEY_HEADER = "Idempotency-Key";

    private final String page;
    private final Duration giveUpAfter;

    private Sending(String page, Duration giveUpAfter) {
        this.page = page;
        this.giveUpAfter = giveUpAfter;
    }

    /** Connections that users share and keep. */
    static HttpProtocolBuilder keptConnections(URI app) {
        return anyConnections(app).shareConnections();
    }

    /** A connection for each request. */
    static HttpProtocolBuilder newConnections(URI app) {
        return anyConnections(app).connectionHeader("close");
    }

    private static HttpProtocolBuilder anyConnections(URI app) {
        return http.baseUrl(app.toString()).disableWarmUp().disableCaching().disableAutoReferer();
    }

    /** One virtual user for each delivery, as long as there are any. */
    static ScenarioBuilder each(String page, Duration hasty, Iterator<Delivery> deliveries) {
        Iterator<Map<String, Object>> feeder = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return deliveries.hasNext();
            }

            @Override
            public Map<String, Object> next() {
                return Map.of(DELIVERY, deliveries.next());
            }
        };
        return scenario(page).feed(feeder).exec(new Sending(page, hasty).untilAcknowledged());
    }

    /**
     * A virtual user who sends one operation after the other, without a pause.
     *
     * @param name of the scenario; no other one of the run has it
     */
    static ScenarioBuilder oneAfterTheOther(
            String name, String page, Duration hasty, BooleanSupplier goOn, Supplier<Delivery> deliveries) {
        return scenario(name)
                .exec(asLongAs(session -> goOn.getAsBoolean())
                        .on(exec(session -> session.set(DELIVERY, deliveries.get()))
                                .exec(new Sending(page, hasty).untilAcknowledged())));
    }

    private ChainBuilder untilAcknowledged() {
        return asLongAs(session -> delivery(session).isUnderway()).on(attempt()).exec(session -> {
            delivery(session).end();
            return session;
        });
    }

    private ChainBuilder attempt() {
        return exec(session -> {
                    delivery(session).begin();
                    return session;
                })
                .exec(doSwitch(session -> delivery(session).manner())
                        .on(
                                onCase(Delivery.Manner.PATIENT).then(noted(post(""))),
                                onCase(Delivery.Manner.HASTY)
                                        .then(noted(post(" in a hurry").requestTimeout(giveUpAfter))),
                                onCase(Delivery.Manner.TWICE_AT_ONCE).then(twins())))
                .exec(session -> {
                    delivery(session).conclude();
                    return session;
                })
                .pause(session -> delivery(session).pause());
    }

    private static ChainBuilder noted(HttpRequestActionBuilder request) {
        return exec(session -> {
                    delivery(session).sent();
                    return session;
                })
                .exec(request);
    }

    /** Two requests at the same time, behind one that costs the server nothing. */
    private ChainBuilder twins() {
        return exec(http(page + ": opens for twins")
                .get("/faults")
                .check(status().is(200))
                .transformResponse((response, session) -> {
                    if (response.status().code() == 200) {
                        delivery(session).sent();
                        delivery(session).sent();
                    }
                    return response;
                })
                .resources(post(" at once"), post(" at once")));
    }

    private HttpRequestActionBuilder post(String manner) {
        return http(session -> page + ": " + delivery(session).operation().endpoint() + manner)
                .post(session -> delivery(session).operation().endpoint().path(page))
                .header(
                        KEY_HEADER,
                        session -> delivery(session).operation().key().toString())
                .check(status().in(200, 204, 409, 503))
                .transformResponse((response, session) -> {
                    delivery(session).answered(response.status().code());
                    return response;
                });
    }

    private static Delivery delivery(Session session) {
        return Objects.requireNonNull(session.get(DELIVERY), DELIVERY);
    }
}
