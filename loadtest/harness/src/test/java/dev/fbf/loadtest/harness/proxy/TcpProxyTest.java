package dev.fbf.loadtest.harness.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

    private final BlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
    private ServerSocket server;
    private TcpProxy proxy;

    @BeforeEach
    void open() throws IOException {
        server = listen();
        acceptAll(server);
        proxy = TcpProxy.open("test", List.of(server.getLocalPort()), () -> Relay.PLAIN);
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void frozenLinkIsHalfOpenUntilItThawsOrIsCut() throws Exception {
        Socket client = connect();
        Socket other = established(client);
        Link link = proxy.links().get(0);
        link.freeze();
        client.getOutputStream().write('x');
        assertNothingComes(other);

        link.thaw();
        assertThat(read(other)).isEqualTo('x');

        link.freeze();
        client.getOutputStream().write('x');
        link.cut();
        assertReset(client);
        assertReset(other);
    }

    @Test
    void losesAsManyResponsesAsItIsTold() throws Exception {
        proxy.loseNextResponses(1);
        Socket loser = connect();
        Socket other = accepted.take();
        loser.getOutputStream().write('q');
        assertThat(read(other)).isEqualTo('q');
        other.getOutputStream().write('a');
        assertReset(loser);

        established(connect());
        assertThat(proxy.responsesLost()).isEqualTo(1);
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        client.setSoTimeout(10_000);
        return client;
    }

    /** The server's side of a connection that bytes have passed on in both directions. */
    private Socket established(Socket client) throws Exception {
        Socket other = accepted.poll(10, TimeUnit.SECONDS);
        other.setSoTimeout(10_000);
        client.getOutputStream().write('1');
        assertThat(read(other)).isEqualTo('1');
        other.getOutputStream().write('2');
        assertThat(read(client)).isEqualTo('2');
        return other;
    }

    private static void assertReset(Socket socket) {
        assertThatThrownBy(() -> read(socket)).isInstanceOf(SocketException.class);
    }

    private static void assertNothingComes(Socket socket) throws SocketException {
        socket.setSoTimeout(100);
        assertThatThrownBy(() -> read(socket)).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(10_000);
    }

    private static int read(Socket socket) throws IOException {
        return socket.getInputStream().read();
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private void acceptAll(ServerSocket socket) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    accepted.add(socket.accept());
                }
            } catch (IOException e) {
                // closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
