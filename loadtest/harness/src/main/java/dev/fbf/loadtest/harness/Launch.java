package dev.fbf.loadtest.harness;

import dev.fbf.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Starts the runs of a module, each in a JVM of its own. Maven runs it in its own JVM, where every {@code -Dname=value} is a
 * system property: those with a run's prefix are handed over.
 */
public final class Launch {

    /** The system property that tells a run where the module's target directory is. */
    static final String TARGET = "run.target";

    /** The system property that names runs, between commas: the others are left out. */
    private static final String RUNS = "runs";

    private static final Duration GRACE = Duration.ofSeconds(60);

    private Launch() {}

    /**
     * Starts one run after the other.
     *
     * @param args for each run its name, {@code =}, and its {@link Length}
     * @throws IllegalStateException if a run fails
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<Path> classPath = classPath();
        Properties system = System.getProperties();
        system.setProperty(TARGET, classPath.get(0).resolveSibling("").toString());
        Map<Settings, Length> runs = new LinkedHashMap<>();
        for (String arg : args) {
            String[] runAndLength = arg.split("=", 2);
            Length length = Length.of(runAndLength[1]);
            runs.put(Settings.load(runAndLength[0], length, system), length);
        }
        refuseUnknown(system.stringPropertyNames(), runs.keySet());
        for (Map.Entry<Settings, Length> run : runs.entrySet()) {
            if (isWanted(run.getKey().run(), run.getValue(), system)) {
                start(run.getKey(), run.getValue(), classPath, system);
            }
        }
    }

    /** A test leaves out the short runs with the other tests; a profile asks for the full ones. */
    static boolean isWanted(String run, Length length, Properties system) {
        String only = system.getProperty(RUNS, "");
        boolean leftOut = length == Length.SMOKE && Boolean.parseBoolean(system.getProperty("skipTests"));
        return length != Length.NONE
                && !leftOut
                && (only.isEmpty() || List.of(only.split(",")).contains(run));
    }

    /** A misspelt prefix: each run refuses names that begin with its own. */
    static void refuseUnknown(Set<String> properties, Set<Settings> runs) {
        Set<String> families = runs.stream()
                .map(run -> run.prefix().substring(0, run.prefix().indexOf('.') + 1))
                .collect(Collectors.toSet());
        for (String property : new TreeSet<>(properties)) {
            if (families.stream().anyMatch(property::startsWith)
                    && runs.stream().noneMatch(run -> run.owns(property))) {
                throw new IllegalArgumentException("%s is a setting of no run; settings begin with %s"
                        .formatted(
                                property,
                                runs.stream().map(Settings::prefix).collect(Collectors.toCollection(TreeSet::new))));
            }
        }
    }

    private static void start(Settings run, Length length, List<Path> classPath, Properties system)
            throws IOException, InterruptedException {
        List<String> jvm = new ArrayList<>(run.jvm());
        jvm.add("-D" + TARGET + "=" + system.getProperty(TARGET));
        system.stringPropertyNames().stream()
                .filter(run::owns)
                .forEach(name -> jvm.add("-D" + name + "=" + system.getProperty(name)));
        List<String> command = ChildProcess.java(
                jvm,
                classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                Runner.class.getName(),
                List.of(run.run(), length.toString()));
        try (ChildProcess process = ChildProcess.inheriting(command, Path.of(system.getProperty(TARGET)), GRACE)) {
            int exit = process.awaitExit();
            if (exit != 0) {
                throw new IllegalStateException("the run " + run.run() + " ended with " + exit);
            }
        }
    }

    /** The module's classes come first, as Maven makes it. */
    private static List<Path> classPath() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        if (!(loader instanceof URLClassLoader maven)) {
            throw new IllegalStateException("Launch is started by exec-maven-plugin; Runner runs without it");
        }
        return Arrays.stream(maven.getURLs()).map(Launch::path).toList();
    }

    private static Path path(URL url) {
        return Path.of(URI.create(url.toString()));
    }
}
