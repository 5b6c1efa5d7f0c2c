package dev.fbf.sample.connection;

import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Makes the sockets of the driver, which knows it by its name. */
public final class CuttableSocketFactory extends SocketFactory {

    @Override
    public Socket createSocket() {
        return new CuttableSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connectsLater();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw connectsLater();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connectsLater();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw connectsLater();
    }

    private static UnsupportedOperationException connectsLater() {
        return new UnsupportedOperationException("PostgreSQL's driver connects its sockets itself");
    }
}
