package dev.fbf.core.filter;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refreshes a filter when it is due, for as long as the executor runs. */
final class Refresher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Refresher.class);

    private static final long MILLIS_AFTER_FAILURE = 1_000;

    private final String scope;
    private final AdaptiveFilter filter;
    private final ScheduledExecutorService executor;

    Refresher(String scope, AdaptiveFilter filter, ScheduledExecutorService executor) {
        this.scope = scope;
        this.filter = filter;
        this.executor = executor;
    }

    void start() {
        runIn(Math.max(0, filter.millisUntilDue()));
    }

    @Override
    public void run() {
        try {
            filter.maintain();
            runIn(Math.max(1, filter.millisUntilDue()));
        } catch (RuntimeException e) {
            if (!executor.isShutdown()) {
                log.atError()
                        .addKeyValue("scope", scope)
                        .setCause(e)
                        .log("The filter of scope {} could not be refreshed; it forgets nothing meanwhile.", scope);
                runIn(MILLIS_AFTER_FAILURE);
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // run() handles what it throws
    private void runIn(long millis) {
        try {
            executor.schedule(this, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The directory was closed; scope {} is no longer refreshed.", scope, e);
        }
    }
}
