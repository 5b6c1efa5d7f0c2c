package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.torture.agent.Step;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The settings of torture-filter.properties, where their meanings stand. */
record Parameters(
        long seed,
        Duration length,
        long operations,
        double rate,
        int clients,
        int counters,
        double grouped,
        String mode,
        int nodes,
        Map<Fault.Lane, Integer> faults,
        List<Fault> without,
        List<String> steps,
        Duration window,
        List<String> jvm,
        List<String> arguments,
        String readyPath,
        Duration recoveryBound,
        int lives,
        Path directory,
        Path home) {

    Parameters {
        if (!(grouped > 0 && grouped < 1)) {
            throw new IllegalArgumentException("grouped=" + grouped + ": must be more than 0 and less than 1");
        }
    }

    static Parameters from(Settings settings) throws IOException {
        Map<Fault.Lane, Integer> faults = new EnumMap<>(Fault.Lane.class);
        faults.put(Fault.Lane.APP, settings.count("app-kills"));
        faults.put(Fault.Lane.POSTGRES, settings.count("postgres-kills"));
        faults.put(Fault.Lane.COMMIT, settings.count("commit-faults"));
        faults.put(Fault.Lane.DATABASE_NETWORK, settings.count("database-network-faults"));
        faults.put(Fault.Lane.CLIENT_NETWORK, settings.count("client-network-faults"));
        faults.put(Fault.Lane.LOAD, settings.count("surges"));
        Path directory = settings.directory();
        String mode = settings.text("mode");
        List<String> jvm = new ArrayList<>(settings.words("app-jvm"));
        List<String> steps = new ArrayList<>();
        if (settings.flag("agent")) {
            jvm.add("-javaagent:" + agent(directory));
            jvm.add("-Dtorture.broken=" + settings.text("broken"));
            Step.in(mode).forEach(step -> steps.add(step.name()));
        }
        return new Parameters(
                settings.integer("seed"),
                settings.seconds("seconds"),
                settings.integer("operations"),
                settings.positive("rate"),
                settings.atLeastOne("clients"),
                settings.atLeastOne("counters"),
                settings.share("grouped"),
                mode,
                settings.atLeastOne("nodes"),
                faults,
                settings.words("without").stream()
                        .map(name -> Fault.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
                        .toList(),
                steps,
                settings.seconds("window-seconds"),
                jvm,
                settings.words("app-arguments"),
                settings.text("app-ready-path"),
                settings.millis("recovery-bound-millis"),
                settings.count("lives"),
                directory,
                settings.postgres());
    }

    /** Makes a jar for the JVM to find the agent by: its classes are on the class path. Not in the directory, which is emptied. */
    private static Path agent(Path directory) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", TortureAgent.class.getName());
        Path jar = directory.resolveSibling("torture-agent.jar");
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
        return jar;
    }
}
