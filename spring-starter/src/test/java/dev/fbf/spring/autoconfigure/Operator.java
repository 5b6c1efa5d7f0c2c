package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Objects;
import org.springframework.boot.health.contributor.Health;

/** What operators see of an application of the tests that has no actuator. */
public final class Operator {

    private Operator() {}

    /** Its meters, from now on. */
    public static MeterRegistry meters(CountingApp app) {
        MeterRegistry meters = new SimpleMeterRegistry();
        bind(app, meters);
        return meters;
    }

    /** Lets a registry have its meters. */
    static void bind(CountingApp app, MeterRegistry meters) {
        app.context().getBeanProvider(MeterBinder.class).forEach(binder -> binder.bindTo(meters));
    }

    /** Its health. */
    public static Health health(CountingApp app) {
        return health(app.status);
    }

    /** Its health. */
    public static Health health(HttpApp app) {
        return health(app.bean(NodeStatus.class));
    }

    private static Health health(NodeStatus guards) {
        return Objects.requireNonNull(new FbfHealthIndicator(guards).health());
    }
}
