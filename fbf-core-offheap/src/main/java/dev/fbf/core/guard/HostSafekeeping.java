package dev.fbf.core.guard;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forces to the disk what a power loss would take: many claims at a time, and many puts at a time. */
final class HostSafekeeping implements Safekeeping {

    /*
     * Claims: whoever comes while one thread forces waits for it, and then one of those that waited forces for all of
     * them. `arrived` counts who has come, `forced` those whose claims are on the disk. The lock is not held while
     * forcing: who is served need not wait for it behind those who are not, and a thread that comes again and again
     * cannot force for itself alone.
     *
     * Filters: a thread of its own forces the filters of all transactions that ended since it last began, and then frees
     * their claims. Until then their slots are taken, too: a record in which a power loss finds the outcome open must
     * find its token in the witness still.
     */
    private static final Logger log = LoggerFactory.getLogger(HostSafekeeping.class);

    private record Ended(Set<ForgetfulBloomFilter> filters, Runnable free) {}

    /** Tells the thread to end. */
    private static final Ended LAST = new Ended(Set.of(), () -> {});

    private final Runnable forceClaims;
    private final AtomicLong arrived = new AtomicLong();
    private final Lock lock = new ReentrantLock();
    private final Condition hasForced = lock.newCondition();
    private final BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::freeWhatIsForced, "fbf-force");

    private volatile @Nullable Throwable failure;
    private boolean forcing;
    private long forced;

    HostSafekeeping(Runnable forceClaims) {
        this.forceClaims = forceClaims;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void forceClaims() {
        long me = arrived.incrementAndGet();
        lock.lock();
        try {
            while (forcing && forced < me) {
                hasForced.awaitUninterruptibly();
            }
            if (forced >= me) {
                return;
            }
            forcing = true;
        } finally {
            lock.unlock();
        }
        forceForAll();
    }

    private void forceForAll() {
        long before = 0;
        try {
            long all = arrived.get(); // before forcing: who comes later may have written too late
            forceClaims.run();
            before = all;
        } finally {
            lock.lock();
            try {
                forcing = false;
                forced = Math.max(forced, before);
                hasForced.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void onceForced(Set<ForgetfulBloomFilter> filters, Runnable free) {
        ended.add(new Ended(filters, free));
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    /** Returns when everything that ended was freed. */
    @Override
    public void close() {
        ended.add(LAST);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void freeWhatIsForced() {
        List<Ended> batch = new ArrayList<>();
        do {
            batch.clear();
            try {
                batch.add(ended.take());
            } catch (InterruptedException e) {
                continue; // only close() ends this thread
            }
            ended.drainTo(batch);
            force(batch);
        } while (!batch.contains(LAST));
    }

    /** Survives whatever is thrown: without this thread no claim would be freed any more. */
    private void force(List<Ended> batch) {
        try {
            Set<ForgetfulBloomFilter> filters = new HashSet<>();
            batch.forEach(transaction -> filters.addAll(transaction.filters));
            filters.forEach(ForgetfulBloomFilter::force);
            failure = null;
        } catch (Throwable e) {
            // their claims stay where they are: the next start asks the witness about them
            failed("What was put into the filters cannot be forced to the disk.", e);
            return;
        }
        for (Ended transaction : batch) {
            try {
                transaction.free.run();
            } catch (Throwable e) {
                failed("Claims cannot be freed whose filters were forced to the disk.", e);
            }
        }
    }

    private void failed(String what, Throwable e) {
        failure = e;
        try {
            log.error(what, e);
        } catch (Throwable notLogged) {
            failure = notLogged;
        }
    }
}
