package dev.fbf.loadtest.harness.proxy;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** One connection through a proxy: a client's socket, a server's, and a thread for each direction. Thread-safe. */
public final class Link {

    private static final int CHUNK = 16 * 1024;

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Relay relay;
    private final Object gate = new Object();

    private boolean frozen; // guarded by gate
    private boolean over; // guarded by gate
    private volatile boolean clientCut;
    private volatile long delayNanos;

    Link(TcpProxy proxy, Socket client, Socket server, Relay relay) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.relay = relay;
    }

    /** Passes bytes on until either side ends; returns then. */
    void run() {
        Thread responses =
                new Thread(this::passResponses, Thread.currentThread().getName() + "-responses");
        responses.setDaemon(true);
        responses.start();
        byte[] chunk = new byte[CHUNK];
        try {
            for (int length = client.getInputStream().read(chunk);
                    length >= 0;
                    length = client.getInputStream().read(chunk)) {
                pass();
                relay.fromClient(this, chunk, length);
            }
            server.shutdownOutput();
        } catch (IOException e) {
            if (!clientCut) {
                cut();
            }
        } catch (InterruptedException e) {
            cut();
            Thread.currentThread().interrupt();
        }
    }

    private void passResponses() {
        byte[] chunk = new byte[CHUNK];
        try {
            for (int length = server.getInputStream().read(chunk);
                    length >= 0;
                    length = server.getInputStream().read(chunk)) {
                pass();
                if (proxy.losesThisResponse()) {
                    cut();
                } else {
                    relay.fromServer(this, chunk, length);
                }
            }
            close();
        } catch (IOException e) {
            cut();
        } catch (InterruptedException e) {
            cut();
            Thread.currentThread().interrupt();
        } finally {
            relay.serverEnded();
            proxy.ended(this);
        }
    }

    /** Waits for as long as the connection is frozen, and for its delay. */
    private void pass() throws IOException, InterruptedException {
        synchronized (gate) {
            while (frozen && !over) {
                gate.wait();
            }
            long end = System.nanoTime() + Math.max(delayNanos, proxy.delayNanos());
            for (long left = end - System.nanoTime(); left > 0 && !over; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(gate, left);
            }
            if (over) {
                throw new IOException("the connection was cut");
            }
        }
    }

    /** Sends bytes to the server. */
    public void toServer(byte[] bytes, int length) throws IOException {
        server.getOutputStream().write(bytes, 0, length);
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
        end();
    }

    /** Resets the client's side alone: the server does not learn of it, until it ends the connection or {@link #cut} does. */
    public void cutClient() {
        clientCut = true;
        reset(client);
    }

    /** Makes the connection half-open: both sockets stay as they are, and nothing passes until {@link #thaw} or {@link #cut}. */
    public void freeze() {
        synchronized (gate) {
            frozen = true;
        }
    }

    /** Lets everything pass that waited since {@link #freeze}. */
    public void thaw() {
        synchronized (gate) {
            frozen = false;
            gate.notifyAll();
        }
    }

    /** Delays every chunk from now on, in both directions. */
    public void delayEachChunk(Duration delay) {
        delayNanos = delay.toNanos();
    }

    private void close() throws IOException {
        end();
        client.close();
        server.close();
    }

    private void end() {
        synchronized (gate) {
            over = true;
            gate.notifyAll();
        }
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
