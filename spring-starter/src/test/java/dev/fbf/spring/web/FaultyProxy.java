package dev.fbf.spring.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy on a loopback port, between a pool and its database. Thread-safe. */
final class FaultyProxy implements AutoCloseable {

    enum Passage {
        OPEN,

        /** Connections are established, and no byte passes until it is open again. */
        SILENT,

        /** Connections are closed. */
        CLOSING
    }

    private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private Passage passage = Passage.OPEN; // guarded by this

    private FaultyProxy(int target) throws IOException {
        this.target = target;
    }

    static FaultyProxy to(int target) throws IOException {
        FaultyProxy proxy = new FaultyProxy(target);
        daemon(proxy::accept);
        return proxy;
    }

    int port() {
        return door.getLocalPort();
    }

    synchronized void set(Passage passage) {
        this.passage = passage;
        if (passage == Passage.CLOSING) {
            sockets.forEach(FaultyProxy::close);
        }
        notifyAll();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                daemon(() -> pump(client, server));
                daemon(() -> pump(server, client));
            } catch (IOException e) {
                // closed, or the database is
            }
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] chunk = new byte[16 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int length = in.read(chunk); length >= 0 && awaitPassage(); length = in.read(chunk)) {
                to.getOutputStream().write(chunk, 0, length);
            }
        } catch (IOException | InterruptedException e) {
            // both ends are closed
        } finally {
            sockets.remove(from);
        }
    }

    /** Returns whether bytes may pass. */
    private synchronized boolean awaitPassage() throws InterruptedException {
        while (passage == Passage.SILENT) {
            wait();
        }
        return passage == Passage.OPEN;
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        set(Passage.CLOSING);
    }
}
