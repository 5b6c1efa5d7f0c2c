package dev.fbf.sample.connection;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A socket that holds a request or a response until it is cut. */
final class CuttableSocket extends Socket {

    private static final long LONGEST_HOLD_SECONDS = 20;

    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public void connect(SocketAddress endpoint, int timeout) throws IOException {
        if (DatabaseConnections.isRefusing()) {
            throw new ConnectException("The connections were cut");
        }
        super.connect(endpoint, timeout);
        DatabaseConnections.opened(this);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = in.read(bytes, offset, length);
                if (DatabaseConnections.takeHold(Cut.RESPONSE)) {
                    awaitCut();
                }
                return count;
            }
        };
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new FilterOutputStream(super.getOutputStream()) {

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (DatabaseConnections.takeHold(Cut.REQUEST)) {
                    awaitCut();
                }
                out.write(bytes, offset, length);
            }
        };
    }

    private void awaitCut() throws IOException {
        try {
            if (!closed.await(LONGEST_HOLD_SECONDS, TimeUnit.SECONDS)) {
                cut();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new SocketException("The connection was cut");
    }

    void cut() {
        try {
            close();
        } catch (IOException ignored) {
            // it is gone as well
        }
    }

    @Override
    public synchronized void close() throws IOException {
        DatabaseConnections.closed(this);
        try {
            super.close();
        } finally {
            closed.countDown();
        }
    }
}
