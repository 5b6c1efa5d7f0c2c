package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The sample app's own faults: a user who switches them on, and one who switches them off. */
public final class Faults {

    private static final Duration LONGEST = Duration.ofHours(1);

    private Faults() {}

    /**
     * From now on the app loses responses: it does the work, then cuts the connection.
     *
     * @param loss the share of responses
     * @param time until it stops by itself; an hour at most
     */
    public static PopulationBuilder on(URI app, double loss, Duration time) {
        long seconds = (time.compareTo(LONGEST) < 0 ? time : LONGEST).toSeconds();
        String faults = JsonMapper.shared().writeValueAsString(Map.of("lostResponses", loss, "seconds", seconds));
        return scenario("faults on")
                .exec(http("faults on")
                        .put("/faults")
                        .header("Content-Type", "application/json")
                        .body(StringBody(faults))
                        .check(status().in(200, 204)))
                .crashLoadGeneratorIf(
                        session -> "the app would not switch on its faults: PUT /faults failed", Session::isFailed)
                .injectOpen(atOnceUsers(1))
                .protocols(Sending.newConnections(app));
    }

    public static PopulationBuilder off(URI app) {
        return scenario("faults off")
                .exec(http("faults off").delete("/faults").check(status().in(200, 204)))
                .injectOpen(atOnceUsers(1))
                .protocols(Sending.newConnections(app));
    }
}
