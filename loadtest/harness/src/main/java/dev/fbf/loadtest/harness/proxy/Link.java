package dev.fbf.loadtest.harness.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One connection through a proxy: a client's socket, a server's, and a thread for each direction. Thread-safe. */
public final class Link {

    private static final int CHUNK = 16 * 1024;

    /** {@link Object#wait} and {@link Thread#sleep} round up to milliseconds: a thread parks for what is left of a delay then. */
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** How late Linux wakes a thread that parks. */
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server;
    private final Relay relay;
    private final Object gate = new Object();

    private boolean frozen; // guarded by gate
    private boolean over; // guarded by gate
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
            end();
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

    /** Waits for as long as the connection is frozen, and for its delay. */
    private void awaitPassage() throws IOException {
        try {
            long end;
            synchronized (gate) {
                while (frozen && !over) {
                    gate.wait();
                }
                end = System.nanoTime() + proxy.delayNanos();
                for (long left = end - System.nanoTime(); left > SHORT_NANOS && !over; left = end - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(gate, left - SHORT_NANOS);
                }
            }
            for (long left = end - System.nanoTime(); left > LATE_NANOS && !isOver(); left = end - System.nanoTime()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                LockSupport.parkNanos(left - LATE_NANOS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
        if (isOver()) {
            throw new IOException("the connection was cut");
        }
    }

    private boolean isOver() {
        synchronized (gate) {
            return over;
        }
    }

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
