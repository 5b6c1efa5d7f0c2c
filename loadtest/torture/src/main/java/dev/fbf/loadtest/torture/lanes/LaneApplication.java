package dev.fbf.loadtest.torture.lanes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.loadtest.harness.cassandra.Sessions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A node of an application that counts on Cassandra, behind HTTP. It ends when its standard input does: it must not outlive the process
 * that started it.
 */
public final class LaneApplication {

    static final String SCOPE = "page-views";
    static final String KEYSPACE = "torture";

    private static final int THREADS = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration REQUEST_TIMEOUT = Duration.ofMillis(800);

    private final LaneCounters counters;

    private LaneApplication(LaneCounters counters) {
        this.counters = counters;
    }

    /**
     * Starts.
     *
     * @param args the port to listen on, the window in seconds, the operations in a second, and {@code <host>:<port>=<port of a proxy>}
     *     for each node of Cassandra
     */
    public static void main(String[] args) throws IOException {
        Thread watch = new Thread(LaneApplication::haltAtEndOfInput, "watch-parent");
        watch.setDaemon(true);
        watch.start();
        Map<InetSocketAddress, Integer> proxies = Arrays.stream(args, 3, args.length)
                .map(arg -> arg.split("[:=]", 3))
                .collect(Collectors.toMap(
                        parts -> new InetSocketAddress(parts[0], Integer.parseInt(parts[1])),
                        parts -> Integer.valueOf(parts[2])));
        LaneSettings settings = new LaneSettings(
                        SCOPE,
                        new FilterSizing(Double.parseDouble(args[2]), Duration.ofSeconds(Long.parseLong(args[1])), 1e-9)
                                .plan())
                .withTimeouts(REQUEST_TIMEOUT, Duration.ofSeconds(3));
        LaneApplication application = new LaneApplication(open(proxies, settings));
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/ready", application::ready);
        server.createContext("/", application::increment);
        server.start();
    }

    /** Cassandra may have no quorum now. */
    @SuppressWarnings("MustBeClosedChecker") // used until the process ends
    private static LaneCounters open(Map<InetSocketAddress, Integer> proxies, LaneSettings settings) {
        while (true) {
            try {
                return new LaneCounters(Sessions.through(proxies, KEYSPACE, REQUEST_TIMEOUT), settings);
            } catch (RuntimeException e) {
                System.out.println("not opened: " + e);
            }
        }
    }

    private void ready(HttpExchange exchange) throws IOException {
        respond(exchange, counters.isRecovering() ? 503 : 200, "");
    }

    private void increment(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", -1);
        String counter = path.length > 2 ? path[2] : "probes";
        String header = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        String key = header == null ? UUID.randomUUID().toString() : header.replace("\"", "");
        try {
            increment(exchange, counter, OperationId.of(SCOPE, "", key));
        } catch (RuntimeException e) {
            System.out.println("failed: " + e);
            respond(exchange, 503, e.toString());
        }
    }

    private void increment(HttpExchange exchange, String counter, OperationId id) throws IOException {
        Admission admission = counters.admit(id);
        if (!(admission instanceof Claim claim)) {
            refuse(exchange, counter, (Refusal) admission);
            return;
        }
        LaneIncrement increment = counters.apply(claim, null, Map.of(counter, 1L), TIMEOUT);
        if (increment == null) {
            refuse(exchange, counter, Refusal.IN_DOUBT);
        } else if (increment.values() != null) {
            respond(exchange, 200, increment.values().toString());
        } else {
            refuse(exchange, counter, Objects.requireNonNullElse(increment.refusal(), Refusal.IN_DOUBT));
        }
    }

    private void refuse(HttpExchange exchange, String counter, Refusal refusal) throws IOException {
        switch (refusal) {
            case APPLIED -> {
                long value = counters.value(counter).orElse(0);
                exchange.getResponseHeaders().add("Idempotent-Replayed", "true");
                respond(exchange, 200, Long.toString(value));
            }
            case IN_PROGRESS -> respond(exchange, 409, "");
            default -> {
                exchange.getResponseHeaders().add("Retry-After", "1");
                respond(exchange, 503, refusal.toString());
            }
        }
    }

    private static void respond(HttpExchange exchange, int status, String text) throws IOException {
        exchange.getRequestBody().readAllBytes();
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream stream = exchange.getResponseBody()) {
            stream.write(body);
        }
    }

    private static void haltAtEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // nobody writes
            }
        } catch (IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(2);
    }
}
