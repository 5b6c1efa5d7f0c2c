package dev.fbf.loadtest.torture.system;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An application with an agent in it, in as few words as possible: answers whatever it is asked, and halts at the step "done". */
final class KnownApp {

    private KnownApp() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        Path step = Path.of(System.getProperty(AppProcess.STEP_FILE));
        while (!Files.exists(step) || !Files.readString(step).equals("done")) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        Runtime.getRuntime().halt(1);
    }
}
