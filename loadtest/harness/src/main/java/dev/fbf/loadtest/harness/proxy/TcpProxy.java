package dev.fbf.loadtest.harness.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
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
    private final List<InetSocketAddress> targets;
    private final Supplier<Relay> relays;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicInteger responsesToLose = new AtomicInteger();
    private final AtomicLong responsesLost = new AtomicLong();
    private final Thread doorkeeper;
    private volatile LongSupplier delay = () -> 0;
    private volatile BooleanSupplier loss = () -> false;

    private TcpProxy(String name, ServerSocket door, List<InetSocketAddress> targets, Supplier<Relay> relays) {
        this.name = name;
        this.door = door;
        this.targets = targets;
        this.relays = relays;
        this.doorkeeper = daemon(this::accept, name + "-proxy");
    }

    /**
     * Listens on a free port.
     *
     * @param targets loopback ports: where connections go, in turn
     * @param relays makes what sits in the middle of each connection
     */
    public static TcpProxy open(String name, List<Integer> targets, Supplier<Relay> relays) throws IOException {
        return openTo(
                name,
                targets.stream()
                        .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .toList(),
                relays);
    }

    /**
     * Listens on a free port.
     *
     * @param targets where connections go, in turn
     * @param relays makes what sits in the middle of each connection
     */
    public static TcpProxy openTo(String name, List<InetSocketAddress> targets, Supplier<Relay> relays)
            throws IOException {
        ServerSocket door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        TcpProxy proxy = new TcpProxy(name, door, List.copyOf(targets), relays);
        proxy.doorkeeper.start();
        return proxy;
    }

    public int port() {
        return door.getLocalPort();
    }

    public List<Link> links() {
        return new ArrayList<>(links);
    }

    public long responsesLost() {
        return responsesLost.get();
    }

    public void cutAll() {
        links.forEach(Link::cut);
    }

    /** Swallows the next responses, whosever they are, and cuts their connections. */
    public void loseNextResponses(int responses) {
        responsesToLose.addAndGet(responses);
    }

    /**
     * Swallows each response with a probability, and cuts its connection; a response that comes in several chunks is lost if one
     * of them is.
     *
     * @param seed decides which responses, counted in the order in which they come through here
     */
    public void loseResponses(double share, long seed) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share=" + share + " must be 0 to 1");
        }
        Random chance = new Random(seed);
        loss = () -> chance.nextDouble() < share;
    }

    /** Delays every chunk of every connection, those to come as well; zero ends it. */
    public void delayEachChunk(Duration duration) {
        long nanos = duration.toNanos();
        delay = () -> nanos;
    }

    /**
     * Delays every chunk of every connection, those to come as well, each for a time of its own: the delays are distributed
     * exponentially, most of them short and a few several times the mean. A request and its response are a chunk each, so that
     * a round trip takes twice the mean, on average.
     *
     * @param seed decides about each, in the order in which the chunks come through here
     */
    public void delayEachChunkAtRandom(Duration mean, long seed) {
        Random chance = new Random(seed);
        long nanos = mean.toNanos();
        delay = () -> Math.round(-nanos * Math.log1p(-chance.nextDouble()));
    }

    /** Ends what goes on: delays, half-open connections, responses yet to be lost. */
    public void heal() {
        responsesToLose.set(0);
        loss = () -> false;
        delay = () -> 0;
        links.forEach(Link::thaw);
    }

    /** How long the next chunk waits. */
    long delayNanos() {
        return delay.getAsLong();
    }

    boolean losesThisResponse() {
        boolean isNext = responsesToLose.get() > 0 && responsesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        boolean loses = isNext || loss.getAsBoolean();
        if (loses) {
            responsesLost.incrementAndGet();
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
            server.connect(targets.get((int) (number % targets.size())), CONNECT_MILLIS);
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

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Stops listening and resets every connection. */
    @Override
    public void close() throws IOException {
        door.close();
        cutAll();
        try {
            // as long as a thread is inside of accept(), the kernel goes on listening, and the thread can get one
            // connection more
            doorkeeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
