package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.doSwitch;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.onCase;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.net.URI;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.json.JsonMapper;

/** What Gatling runs: the {@link Phase phases} one after the other, one virtual user for each operation. */
public final class LoadSimulation extends Simulation {

    /*
     * Three facts about Gatling 3.15 shape this class.
     *
     * It resends a request by itself, once and without a word, when a connection from its pool ends before an answer comes.
     * Under faults that would be a retry nobody counts. So connections are kept alive only in the calm phases.
     *
     * Requests run at the same time only as "resources" of another one, and what the check of one resource saves in the
     * session is lost when the next resource is done. So answers are noted through transformResponse, in a Delivery that all
     * copies of a user's session share. A user's requests, answers and time-outs are all handled by one thread.
     *
     * transformResponse sees every answer, whatever its status, and is not called when there is none.
     */

    private static final AtomicReference<Assignment> ASSIGNED = new AtomicReference<>();
    private static final String DELIVERY = "delivery";
    private static final String KEY_HEADER = "Idempotency-Key";

    private final Traffic traffic;

    /** What Gatling, which makes its simulations itself, cannot hand over. */
    private record Assignment(Traffic traffic, URI app) {}

    static void assign(Traffic traffic, URI app) {
        ASSIGNED.set(new Assignment(traffic, app));
    }

    public LoadSimulation() {
        Assignment assignment = Objects.requireNonNull(ASSIGNED.get(), "nothing was assigned");
        traffic = assignment.traffic();
        HttpProtocolBuilder any = http.baseUrl(assignment.app().toString())
                .disableWarmUp()
                .disableCaching()
                .disableAutoReferer();
        HttpProtocolBuilder calm = any.shareConnections();
        HttpProtocolBuilder faulty = any.connectionHeader("close");
        setUp(population(Phase.WARM_UP, calm)
                .andThen(population(Phase.NO_FAULTS, calm)
                        .andThen(faultsOn(faulty)
                                .andThen(population(Phase.FAULTS, faulty).andThen(faultsOff(faulty))))));
    }

    private PopulationBuilder population(Phase phase, HttpProtocolBuilder protocol) {
        Iterator<Delivery> deliveries = traffic.deliveries(phase);
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
        return scenario(phase.page())
                .feed(feeder)
                .exec(asLongAs(session -> delivery(session).isUnderway()).on(attempt(phase)))
                .exec(session -> {
                    delivery(session).end();
                    return session;
                })
                .injectOpen(rampUsers(traffic.size(phase))
                        .during(traffic.parameters().span(phase)))
                .protocols(protocol);
    }

    private ChainBuilder attempt(Phase phase) {
        return exec(session -> {
                    delivery(session).begin();
                    return session;
                })
                .exec(doSwitch(session -> delivery(session).manner())
                        .on(
                                onCase(Delivery.Manner.PATIENT).then(noted(post(phase, ""))),
                                onCase(Delivery.Manner.HASTY)
                                        .then(noted(post(phase, " in a hurry")
                                                .requestTimeout(
                                                        traffic.parameters().giveUpAfter()))),
                                onCase(Delivery.Manner.TWICE_AT_ONCE).then(twins(phase))))
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
    private static ChainBuilder twins(Phase phase) {
        return exec(http(phase + ": opens for twins")
                .get("/faults")
                .check(status().is(200))
                .transformResponse((response, session) -> {
                    if (response.status().code() == 200) {
                        delivery(session).sent();
                        delivery(session).sent();
                    }
                    return response;
                })
                .resources(post(phase, " at once"), post(phase, " at once")));
    }

    private static HttpRequestActionBuilder post(Phase phase, String manner) {
        return http(session -> phase + ": " + delivery(session).operation().endpoint() + manner)
                .post(session -> delivery(session).operation().endpoint().path(phase))
                .header(
                        KEY_HEADER,
                        session -> delivery(session).operation().key().toString())
                .check(status().in(200, 409, 503))
                .transformResponse((response, session) -> {
                    delivery(session).answered(response.status().code());
                    return response;
                });
    }

    private PopulationBuilder faultsOn(HttpProtocolBuilder protocol) {
        Parameters parameters = traffic.parameters();
        String faults = JsonMapper.shared()
                .writeValueAsString(Map.of(
                        "lostAnswers", parameters.lostAnswers(),
                        "seconds", parameters.faultsLast().toSeconds()));
        return scenario("faults on")
                .exec(http("faults on")
                        .put("/faults")
                        .header("Content-Type", "application/json")
                        .body(StringBody(faults))
                        .check(status().in(200, 204)))
                .crashLoadGeneratorIf(
                        session -> "the app would not switch on its faults: PUT /faults failed", Session::isFailed)
                .injectOpen(atOnceUsers(1))
                .protocols(protocol);
    }

    private static PopulationBuilder faultsOff(HttpProtocolBuilder protocol) {
        return scenario("faults off")
                .exec(http("faults off").delete("/faults").check(status().in(200, 204)))
                .injectOpen(atOnceUsers(1))
                .protocols(protocol);
    }

    private static Delivery delivery(Session session) {
        return Objects.requireNonNull(session.get(DELIVERY), DELIVERY);
    }
}
