package dev.fbf.spring;

import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Keeps the application from being sent requests until what the last process left in doubt is settled and nothing is
 * held back.
 */
final class ReadinessGate implements ApplicationListener<AvailabilityChangeEvent<ReadinessState>>, DisposableBean {

    private static final Duration POLL = Duration.ofMillis(5);

    private final Guards guards;
    private final ApplicationContext context;

    /** Whether it was this gate that said no last: if somebody else did, it is not for this one to say yes. */
    private volatile boolean shut;

    ReadinessGate(Guards guards, ApplicationContext context) {
        this.guards = guards;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(AvailabilityChangeEvent<ReadinessState> event) {
        if (event.getSource() == this) {
            return;
        }
        shut = false;
        if (event.getState() == ReadinessState.ACCEPTING_TRAFFIC && !guards.areReady()) {
            shut = true;
            publish(ReadinessState.REFUSING_TRAFFIC);
            Thread thread = new Thread(this::openWhenReady, "fbf-readiness");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void destroy() {
        shut = false;
    }

    private void openWhenReady() {
        try {
            while (shut && !guards.areReady()) {
                Thread.sleep(POLL.toMillis());
            }
        } catch (InterruptedException e) {
            return;
        }
        if (shut) {
            shut = false;
            publish(ReadinessState.ACCEPTING_TRAFFIC);
        }
    }

    private void publish(ReadinessState state) {
        context.publishEvent(new AvailabilityChangeEvent<>(this, state));
    }
}
