package dev.fbf.core.filter;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Task that refreshes a filter when it is due, as long as the executor runs. */
final class Refresher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Refresher.class);

    private static final long MILLIS_AFTER_FAILURE = 1_000;

    private final String scope;
    private final ForgetfulBloomFilter filter;
    private final ScheduledExecutorService executor;
    private final Consumer<InternalError> onFault;
    private volatile @Nullable Throwable failure;

    /** @param onFault receives each error of a file, for example a {@link dev.fbf.core.memory.MappedFault} */
    Refresher(
            String scope,
            ForgetfulBloomFilter filter,
            ScheduledExecutorService executor,
            Consumer<InternalError> onFault) {
        this.scope = scope;
        this.filter = filter;
        this.executor = executor;
        this.onFault = onFault;
    }

    /** Creates an executor with one daemon thread. */
    static ScheduledExecutorService executor(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Returns the error of the last refresh, or else the reason why the filter exceeds its false positive probability without growing;
     * otherwise null.
     */
    @Nullable Throwable failure() {
        Throwable known = failure;
        return known == null ? filter.tooManyFalsePositives() : known;
    }

    ForgetfulBloomFilter filter() {
        return filter;
    }

    void start() {
        runIn(Math.max(0, filter.millisUntilDue()));
    }

    /** Runs a refresh. Continues after all errors, including logging errors, because no other thread refreshes the filter. */
    @Override
    public void run() {
        long next = MILLIS_AFTER_FAILURE;
        try {
            filter.maintain();
            next = Math.max(1, filter.millisUntilDue());
            failure = null;
        } catch (Throwable e) {
            if (!executor.isShutdown()) {
                boolean isNew = failure == null;
                failure = e;
                if (e instanceof InternalError fault) {
                    onFault.accept(fault);
                }
                log.atLevel(isNew ? Level.ERROR : Level.DEBUG)
                        .addKeyValue("scope", scope)
                        .setCause(e instanceof InternalError ? null : e)
                        .log(
                                "The filter of scope {} could not be refreshed; meanwhile it forgets no operations: {}",
                                scope,
                                e.toString());
            }
        } finally {
            runIn(next);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // run() handles its exceptions
    private void runIn(long millis) {
        try {
            executor.schedule(this, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The filters were closed.", e);
        }
    }
}
