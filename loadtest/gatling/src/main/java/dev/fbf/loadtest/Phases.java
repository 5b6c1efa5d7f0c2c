package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;

import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.net.URI;
import java.util.List;

/** The {@link Phase phases} one after the other, one virtual user for each operation. */
final class Phases {

    private final Traffic traffic;

    private Phases(Traffic traffic) {
        this.traffic = traffic;
    }

    static List<PopulationBuilder> of(Traffic traffic, URI app) {
        Parameters parameters = traffic.parameters();
        Phases phases = new Phases(traffic);
        HttpProtocolBuilder calm = Sending.keptConnections(app);
        HttpProtocolBuilder faulty = Sending.newConnections(app);
        return List.of(phases.population(Phase.WARM_UP, calm)
                .andThen(phases.population(Phase.NO_FAULTS, calm)
                        .andThen(Faults.on(app, parameters.loss(), parameters.faultsLast())
                                .andThen(phases.population(Phase.FAULTS, faulty).andThen(Faults.off(app))))));
    }

    private PopulationBuilder population(Phase phase, HttpProtocolBuilder protocol) {
        Stage stage = traffic.stage(phase);
        return Sending.each(stage)
                .injectOpen(rampUsers(stage.size()).during(traffic.parameters().span(phase)))
                .protocols(protocol);
    }
}
