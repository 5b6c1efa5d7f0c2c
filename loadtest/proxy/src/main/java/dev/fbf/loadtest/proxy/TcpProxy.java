package dev.fbf.loadtest.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A TCP proxy on a loopback port of its own, which stays while the servers behind it come and go. Connections go to the
 * targets in turn, to each its next: a target that is down resets the connections that are its. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BACKLOG = 256;
    private static final int CONNECT_MILLIS = 1_000;

    private final String name;
    private final ServerSocket door;
    private final List<Integer> targets;
    private final Supplier<Relay> relays;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final AtomicLong answersLost = new AtomicLong();
    private final Thread doorkeeper;
    private volatile long delayNanos;

    private TcpProxy(String name, ServerSocket door, List<Integer> targets, Supplier<Relay> relays) {
        this.name = name;
        this.door = door;
        this.targets = targets;
        this.relays = relays;
        this.doorkeeper = daemon(this::accept, name + "-proxy");
    }

    /**
     * Listens on a free port.
     *
     * @param name for its threads
     * @param targets loopback ports: where connections go, in turn
     * @param relays makes what sits in the middle of each connection
     */
    public static TcpProxy open(String name, List<Integer> targets, Supplier<Relay> relays) throws IOException {
        ServerSocket door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        TcpProxy proxy = new TcpProxy(name, door, List.copyOf(targets), relays);
        proxy.doorkeeper.start();
        return proxy;
    }

    public int port() {
        return door.getLocalPort();
    }

    /** The connections that are open now. */
    public List<Link> links() {
        return new ArrayList<>(links);
    }

    /** How many connections there have been. */
    public long connections() {
        return connections.get();
    }

    public long answersLost() {
        return answersLost.get();
    }

    /** Resets every connection. */
    public void cutAll() {
        links.forEach(Link::cut);
    }

    /** Swallows the next answers, whosever they are, and cuts their connections. */
    public void loseNextAnswers(int answers) {
        answersToLose.addAndGet(answers);
    }

    /** Delays every chunk of every connection, those to come as well; zero ends it. */
    public void delayEachChunk(Duration delay) {
        delayNanos = delay.toNanos();
    }

    /** Ends what goes on: delays, half-open connections, answers yet to be lost. */
    public void heal() {
        answersToLose.set(0);
        delayNanos = 0;
        for (Link link : links) {
            link.delayEachChunk(Duration.ZERO);
            link.thaw();
        }
    }

    long delayNanos() {
        return delayNanos;
    }

    boolean losesThisAnswer() {
        boolean loses = answersToLose.get() > 0 && answersToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        if (loses) {
            answersLost.incrementAndGet();
        }
        return loses;
    }

    void ended(Link link) {
        links.remove(link);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                long number = connections.getAndIncrement();
                daemon(() -> serve(client, number), name + "-" + number).start();
            }
        } catch (IOException e) {
            if (!door.isClosed()) {
                throw new IllegalStateException("proxy " + name + " accepts no more", e);
            }
        }
    }

    private void serve(Socket client, long number) {
        Socket server = new Socket();
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            int port = targets.get((int) (number % targets.size()));
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        } catch (IOException e) {
            Link.reset(server);
            Link.reset(client);
            return;
        }
        Link link = new Link(this, client, server, relays.get());
        links.add(link);
        if (door.isClosed()) {
            link.cut();
        }
        link.run();
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Stops listening and resets every connection. */
    @Override
    public void close() throws IOException {
        door.close();
        cutAll();
        awaitDoorkeeper();
    }

    /** For as long as a thread is inside of accept(), the kernel goes on listening, and the thread can get one connection more. */
    private void awaitDoorkeeper() {
        try {
            doorkeeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
