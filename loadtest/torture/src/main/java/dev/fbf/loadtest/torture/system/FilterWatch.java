package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.client.Fleet;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks the applications for the state of their filters several times a second, in a thread of its own. */
final class FilterWatch {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
    private static final Duration RESPONSE = Duration.ofSeconds(1);

    private final List<Node> nodes;
    private final Fleet fleet;
    private final Thread thread = new Thread(this::watch, "watch-filters");

    private FilterWatch(List<Node> nodes, Fleet fleet) {
        this.nodes = nodes;
        this.fleet = fleet;
        thread.setDaemon(true);
    }

    static FilterWatch start(List<Node> nodes, Fleet fleet) {
        FilterWatch watch = new FilterWatch(nodes, fleet);
        watch.thread.start();
        return watch;
    }

    /** Takes a last look. */
    void finish() throws InterruptedException {
        thread.interrupt();
        thread.join();
        for (Node node : nodes) {
            if (!look(node)) {
                throw new IllegalStateException("port=" + node.app().port() + ": its filter cannot be seen");
            }
        }
    }

    private void watch() {
        try {
            while (true) {
                for (Node node : nodes) {
                    look(node);
                }
                Waiting.sleep(BETWEEN_LOOKS);
            }
        } catch (InterruptedException e) {
            // the last look comes
        }
    }

    /** Returns false if the application does not respond: it may be down. */
    private boolean look(Node node) throws InterruptedException {
        // which node an operation goes to is chance: each is taken to have had all of them
        long begun = fleet.begun();
        Optional<HttpResponse<String>> response = Http.exchange(
                        Http.get(node.app().port(), "/actuator/fbf/" + TortureApplication.SCOPE), RESPONSE)
                .filter(each -> each.statusCode() == 200);
        response.ifPresent(each -> {
            JsonNode filter = JsonMapper.shared().readTree(each.body());
            JsonNode newest = filter.required("arenas").required(0);
            node.tally()
                    .look(
                            newest.required("bytes").asLong(),
                            filter.required("estimatedFpp").asDouble(),
                            Duration.parse(newest.required("sinceRefresh").asString()),
                            begun);
        });
        return response.isPresent();
    }
}
