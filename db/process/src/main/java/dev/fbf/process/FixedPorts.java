package dev.fbf.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports for servers that come and go: below those that the machine gives to outgoing connections, so that each is free again. */
public final class FixedPorts {

    /*
     * A port stays with the JVM that asked for it, though no server listens on it: each JVM takes blocks of ports, and listens on a
     * block's first port for as long as it runs.
     */
    private static final int FIRST = 20_000;
    private static final int LAST = 30_000;
    private static final int BLOCK = 100;

    private static final List<ServerSocket> blocks = new ArrayList<>();
    private static int next = FIRST;

    private FixedPorts() {}

    /** A port that nobody listens on. */
    public static synchronized int free() {
        while (next < LAST) {
            int port = next++;
            try {
                ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                if (port % BLOCK != 0) {
                    socket.close();
                    return port;
                }
                blocks.add(socket);
            } catch (IOException taken) {
                next += port % BLOCK == 0 ? BLOCK - 1 : 0; // the block is another JVM's
            }
        }
        throw new IllegalStateException("no port is free between " + FIRST + " and " + LAST);
    }
}
