package dev.fbf.loadtest;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** Every operation of a run, drawn from its seed before the run begins, and what became of them. */
final class Traffic {

    private final Parameters parameters;
    private final Map<Phase, Stage> stages = new EnumMap<>(Phase.class);

    Traffic(Parameters parameters) {
        this.parameters = parameters;
        Delivery.Timeouts timeouts = new Delivery.Timeouts(parameters.giveUpAfter(), parameters.deadline());
        SplittableRandom chance = new SplittableRandom(parameters.seed());
        for (Phase phase : Phase.values()) {
            Plan plan = parameters.plan(phase);
            stages.put(phase, new Stage(phase.page(), plan, timeouts, Operation.draw(plan, chance.split())));
        }
    }

    Parameters parameters() {
        return parameters;
    }

    Stage stage(Phase phase) {
        return Objects.requireNonNull(stages.get(phase), "phase");
    }

    Tally.Outcome outcome(Phase phase, Endpoint endpoint) {
        return stage(phase).outcome(endpoint);
    }
}
