package dev.fbf.loadtest.harness.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports for servers that come and go: below those that the machine gives to outgoing connections, so that each is free again. */
public final class FixedPorts {

    private static final int FIRST = 20_000;
    private static final int LAST = 30_000;
    private static final AtomicInteger next =
            new AtomicInteger(FIRST + (int) (ProcessHandle.current().pid() % 80) * 100);

    private FixedPorts() {}

    /** A port that nobody listens on. */
    public static int free() {
        for (int port = next.getAndIncrement(); port < LAST; port = next.getAndIncrement()) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // the next one may be free
            }
        }
        throw new IllegalStateException("no port is free between " + FIRST + " and " + LAST);
    }
}
