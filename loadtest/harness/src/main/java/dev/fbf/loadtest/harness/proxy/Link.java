package dev.fbf.loadtest.harness.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One connection through a proxy: a client's socket, a server's, and a thread for each direction. Thread-safe. */
public final class Link {

    private static final int CHUNK = 16 * 1024;

    /** How soon a connection notices that it was cut or may go on. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How late Linux wakes a thread that parks. */
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Relay relay;

    private volatile boolean frozen;
    private volatile boolean over;
    private volatile boolean clientCut;

    Link(TcpProxy proxy, Socket client, Socket server, Relay relay) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.relay = relay;
    }

    /** Passes bytes on until either side ends; returns then. */
    void run() {
        TcpProxy.daemon(this::passResponses, Thread.currentThread().getName() + "-responses")
                .start();
        try {
            pump(client.getInputStream(), (chunk, length) -> relay.fromClient(this, chunk, length));
            server.shutdownOutput();
        } catch (IOException e) {
            if (!clientCut) {
                cut();
            }
        }
    }

    private void passResponses() {
        try {
            pump(server.getInputStream(), (chunk, length) -> {
                if (proxy.losesThisResponse()) {
                    cut();
                } else {
                    relay.fromServer(this, chunk, length);
                }
            });
            over = true;
            client.close();
            server.close();
        } catch (IOException e) {
            cut();
        } finally {
            relay.serverEnded();
            proxy.ended(this);
        }
    }

    private interface Pipe {
        void pass(byte[] chunk, int length) throws IOException;
    }

    private void pump(InputStream in, Pipe pipe) throws IOException {
        byte[] chunk = new byte[CHUNK];
        for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
            awaitPassage();
            pipe.pass(chunk, length);
        }
    }

    /** Waits for as long as the connection is frozen, and then for its delay. */
    private void awaitPassage() throws IOException {
        while (frozen && !over) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        long end = System.nanoTime() + proxy.delayNanos() - LATE_NANOS;
        for (long left = end - System.nanoTime(); left > 0 && !over; left = end - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, POLL_NANOS));
        }
        if (over) {
            throw new IOException("the connection was cut");
        }
    }

    public void toServer(byte[] bytes, int length) throws IOException {
        server.getOutputStream().write(bytes, 0, length);
    }

    /** Lets the server see the end of what the client sends: it completes what it has got, and ends the connection. */
    public void endToServer() throws IOException {
        server.shutdownOutput();
    }

    /** Sends bytes to the client; drops them if {@link #cutClient} came first. */
    public void toClient(byte[] bytes, int length) throws IOException {
        if (!clientCut) {
            client.getOutputStream().write(bytes, 0, length);
        }
    }

    /** Resets both sides at once. What is under way is lost. */
    public void cut() {
        cutClient();
        reset(server);
        over = true;
    }

    /** Resets the client's side alone: the server does not learn of it, until it ends the connection or {@link #cut} does. */
    public void cutClient() {
        clientCut = true;
        reset(client);
    }

    /** Makes the connection half-open: both sockets stay as they are, and nothing passes until {@link #thaw} or {@link #cut}. */
    public void freeze() {
        frozen = true;
    }

    /** Lets everything pass that waited since {@link #freeze}. */
    public void thaw() {
        frozen = false;
    }

    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0); // closing sends RST
        } catch (IOException closedAlready) {
            return;
        }
        try {
            socket.close();
        } catch (IOException e) {
            // there is no more to be done to it
        }
    }
}
