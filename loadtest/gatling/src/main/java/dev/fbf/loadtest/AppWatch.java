package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.Http;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the app and its operating system tell of it. */
final class AppWatch {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI address;
    private final ProcessHandle process;
    private final Map<String, FilterWatch> filters = new LinkedHashMap<>();

    /** Bytes: resident, resident without what is mapped from files, and the objects that are in use. */
    record Memory(long resident, long anonymous, long live) {}

    /** Watches an app. */
    AppWatch(URI address, ProcessHandle process, String... scopes) {
        this.address = address;
        this.process = process;
        for (String scope : scopes) {
            filters.put(scope, new FilterWatch());
        }
    }

    void look() throws IOException, InterruptedException {
        for (Map.Entry<String, FilterWatch> filter : filters.entrySet()) {
            filter.getValue().look(get("/actuator/fbf/" + filter.getKey()));
        }
    }

    Map<String, FilterWatch> filters() {
        return filters;
    }

    /** Collects all garbage first: what is left of it between two collections tells nothing. */
    Memory memory() throws IOException, InterruptedException {
        collectGarbage();
        Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
        long resident = 0;
        long anonymous = 0;
        if (Files.exists(status)) {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith("VmRSS:")) {
                    resident = kilobytes(line);
                } else if (line.startsWith("RssAnon:")) {
                    anonymous = kilobytes(line);
                }
            }
        }
        double share = metric("jvm.memory.usage.after.gc");
        return new Memory(resident, anonymous, Math.round(share * metric("jvm.memory.max?tag=area:heap")));
    }

    private void collectGarbage() throws IOException, InterruptedException {
        ChildProcess.output(ChildProcess.program("jcmd"), String.valueOf(process.pid()), "GC.run");
    }

    private static long kilobytes(String line) {
        return 1_024 * Long.parseLong(line.replaceAll("\\D", ""));
    }

    private double metric(String name) throws IOException, InterruptedException {
        return get("/actuator/metrics/" + name)
                .required("measurements")
                .required(0)
                .required("value")
                .doubleValue();
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = Http.exchange(Http.get(address.getPort(), path), TIMEOUT)
                .orElseThrow(() -> new IOException("no response to " + path));
        return JsonMapper.shared().readTree(response.body());
    }
}
