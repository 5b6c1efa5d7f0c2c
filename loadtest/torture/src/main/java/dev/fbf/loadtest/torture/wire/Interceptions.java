package dev.fbf.loadtest.torture.wire;

import dev.fbf.loadtest.torture.wire.Interception.Action;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is to happen on the connections of one database proxy, and what has happened. Thread-safe. */
public final class Interceptions {

    private final List<Interception> next = new ArrayList<>();
    private final Map<Moment, Long> passed = new EnumMap<>(Moment.class);
    private final Map<String, Long> done = new TreeMap<>();
    private final Consumer<String> listener;
    private int held;
    private int releases;
    private int settlements;
    private boolean suspended;

    /**
     * With nothing that is to happen.
     *
     * @param listener told of each interception when it happens, by the connection's thread
     */
    public Interceptions(Consumer<String> listener) {
        this.listener = listener;
    }

    /** Lets something happen once, after all that is still to happen at the same moment. */
    public synchronized void add(Interception interception) {
        next.add(interception);
    }

    /** Takes something back; returns whether it had not happened yet. */
    public synchronized boolean remove(Interception interception) {
        return next.remove(interception);
    }

    public synchronized long waiting(Moment moment) {
        return next.stream().filter(each -> each.moment() == moment).count();
    }

    /** Lets nothing happen until {@link #resume}, and delivers all that is held. */
    public synchronized void suspend() {
        suspended = true;
        release();
    }

    public synchronized void resume() {
        suspended = false;
    }

    /** Lets nothing more happen, and delivers all that is held. */
    public synchronized void heal() {
        next.clear();
        release();
    }

    public synchronized void release() {
        releases++;
        notifyAll();
    }

    public synchronized int held() {
        return held;
    }

    /** How many batches of a moment have come by, whatever happened to them. */
    public synchronized long passed(Moment moment) {
        return passed.getOrDefault(moment, 0L);
    }

    /** How often each action has happened, by moment and action. */
    public synchronized Map<String, Long> done() {
        return new TreeMap<>(done);
    }

    synchronized @Nullable Interception poll(Moment moment) {
        passed.merge(moment, 1L, Long::sum);
        for (Interception interception : suspended ? List.<Interception>of() : next) {
            if (interception.moment() == moment) {
                next.remove(interception);
                done.merge(key(moment, interception.action()), 1L, Long::sum);
                listener.accept(key(moment, interception.action()));
                return interception;
            }
        }
        return null;
    }

    /**
     * Whether a settlement gets through untouched: all but one in eight. While an application settles what a crash left, it
     * does nothing else, and would have to take all that is meant for its operations.
     */
    synchronized boolean spareSettlement() {
        return settlements++ % 8 != 0;
    }

    /** Something is held from now on; returns what {@link #hold} needs to know of a release that comes before it. */
    synchronized int beginHold() {
        held++;
        return releases;
    }

    /** Returns after the time, or as soon as something releases what was held at {@link #beginHold}. */
    synchronized void hold(int begin, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        try {
            for (long left = end - System.nanoTime(); left > 0 && releases == begin; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } finally {
            held--;
        }
    }

    private static String key(Moment moment, Action action) {
        return (moment + " " + action).toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
