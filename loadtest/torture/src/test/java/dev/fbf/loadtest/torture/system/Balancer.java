package dev.fbf.loadtest.torture.system;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** HAProxy before pods, directed as by an ingress controller: a pod gets requests once it is ready, until it is to end. It resends none. */
final class Balancer implements AutoCloseable {

    private final int port = FixedPorts.free();
    private final int adminPort = FixedPorts.free();
    private final ChildProcess process;

    private Balancer(Path directory, List<Integer> pods) throws IOException, InterruptedException {
        String servers = pods.stream()
                .map("  server pod-%1$d 127.0.0.1:%1$d disabled%n"::formatted)
                .collect(Collectors.joining());
        process = Tool.haproxy(port, directory, """
                global
                  stats socket ipv4@127.0.0.1:%d level admin
                defaults
                  mode http
                  timeout connect 2s
                  timeout client 60s
                  timeout server 60s
                listen application
                  bind 127.0.0.1:%d
                  balance roundrobin
                  retries 0
                %s""".formatted(adminPort, port, servers));
    }

    /** Starts it. Skips the test where HAProxy is missing. */
    static Balancer start(Path directory, List<Integer> pods) throws IOException, InterruptedException {
        return new Balancer(directory, pods);
    }

    int port() {
        return port;
    }

    void add(int pod) throws IOException {
        command("set server application/pod-" + pod + " state ready");
    }

    /** Requests that the pod has are not cut off. */
    void remove(int pod) throws IOException {
        command("set server application/pod-" + pod + " state maint");
    }

    private void command(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), adminPort)) {
            socket.getOutputStream().write((command + "\n").getBytes(US_ASCII));
            String error = new String(socket.getInputStream().readAllBytes(), US_ASCII).strip();
            if (!error.isEmpty()) {
                throw new IOException(command + ": " + error);
            }
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
