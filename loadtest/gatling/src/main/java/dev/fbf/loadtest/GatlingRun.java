package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import io.gatling.app.Gatling$;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A run of Gatling in this JVM. One at a time. */
final class GatlingRun {

    private static final AtomicReference<Supplier<List<PopulationBuilder>>> LOAD = new AtomicReference<>();

    private GatlingRun() {}

    /**
     * Returns when it is over.
     *
     * @param load who does what; asked within the run, for nothing of Gatling can be made outside
     */
    static void of(Supplier<List<PopulationBuilder>> load, Settings settings) throws IOException {
        Path results = settings.results().resolveSibling("gatling");
        stayAtHome(results);
        LOAD.set(load);
        // Gatling.main() would end this JVM before it could ask the database
        int status = Gatling$.MODULE$.fromArgs(
                new String[] {"--simulation", Assigned.class.getName(), "--results-folder", results.toString()});
        if (status != 0) {
            throw new IllegalStateException("Gatling ended with status " + status);
        }
    }

    static PopulationBuilder oneAfterTheOther(List<PopulationBuilder> loads) {
        PopulationBuilder chain = loads.get(loads.size() - 1);
        for (int i = loads.size() - 2; i >= 0; i--) {
            chain = loads.get(i).andThen(chain);
        }
        return chain;
    }

    /** Gatling reports each run to its makers and asks for newer versions of itself: not from here. */
    private static void stayAtHome(Path results) {
        System.setProperty("gatling.data.enableAnalytics", "false");
        System.setProperty("https.proxyHost", "127.0.0.1");
        System.setProperty("https.proxyPort", "1");
        System.setProperty("java.util.prefs.userRoot", results.toString());
    }

    /** What Gatling, which makes its simulations itself, makes. */
    public static final class Assigned extends Simulation {

        public Assigned() {
            setUp(Objects.requireNonNull(LOAD.get(), "nothing was assigned").get());
        }
    }
}
