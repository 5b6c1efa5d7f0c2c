package dev.fbf.sample.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All connections to the database whose sockets {@link CuttableSocketFactory} has made. Thread-safe. */
public final class DatabaseConnections {

    /*
     * Static, since the driver makes the factory of the sockets by its name. A thread that sends its request and reads the response
     * itself, as threads do with JDBC, is all that the choice of a cut needs to know: no byte of the protocol is looked at.
     */
    private static final Set<CuttableSocket> open = ConcurrentHashMap.newKeySet();
    private static final ThreadLocal<@Nullable Held> next = new ThreadLocal<>();

    private static volatile long refusedUntil = System.nanoTime();

    private DatabaseConnections() {}

    /**
     * Holds the next request of this thread, or the response to it, until its connection is cut.
     *
     * @param cut which of the two
     * @param held is run when it is held
     */
    public static void holdNext(Cut cut, Runnable held) {
        next.set(new Held(cut, held));
    }

    /**
     * Cuts all connections, and refuses new ones for a while.
     *
     * @return how many were open
     */
    public static int cutAll(Duration outage) {
        refusedUntil = System.nanoTime() + outage.toNanos();
        List<CuttableSocket> cut = new ArrayList<>(open);
        cut.forEach(CuttableSocket::cut);
        return cut.size();
    }

    static boolean isRefusing() {
        return refusedUntil - System.nanoTime() > 0;
    }

    static void opened(CuttableSocket socket) {
        open.add(socket);
    }

    static void closed(CuttableSocket socket) {
        open.remove(socket);
    }

    /** Reports and ends the hold of this thread, if it is for the given part; returns whether it was. */
    static boolean takeHold(Cut cut) {
        Held held = next.get();
        if (held == null || held.cut != cut) {
            return false;
        }
        next.remove();
        held.held.run();
        return true;
    }

    private record Held(Cut cut, Runnable held) {}
}
