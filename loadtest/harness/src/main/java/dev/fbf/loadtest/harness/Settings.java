package dev.fbf.loadtest.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings of a run.
 *
 * <p>The file {@code <run>.properties} on the class path has all of them, each with its meaning in the comment above it and
 * its value in the full run; {@code <run>-smoke.properties} has those that the short run changes. A system property with the
 * run's prefix overrides both. The names that begin with {@code run.} say how the run is started: {@code run.class}, {@code
 * run.prefix}, {@code run.jvm} for options of its JVM, and {@code run.extends} for another run whose settings are its own.
 */
public final class Settings {

    private static final String ABOUT = "run.";

    private final String prefix;
    private final SortedMap<String, String> values;
    private final SortedMap<String, String> about;
    private final Path target;
    private final String run;

    private Settings(
            String run, SortedMap<String, String> about, SortedMap<String, String> values, String prefix, Path target) {
        this.run = run;
        this.about = about;
        this.values = values;
        this.prefix = prefix;
        this.target = target;
    }

    /**
     * Reads the settings of a run.
     *
     * @throws IllegalArgumentException if one of them has the run's prefix and is no setting of it
     */
    static Settings load(String run, Length length, Properties system) {
        SortedMap<String, String> values = new TreeMap<>();
        read(run, "", values);
        if (length == Length.SMOKE) {
            SortedMap<String, String> smoke = new TreeMap<>();
            read(run, "-smoke", smoke);
            smoke.forEach((name, value) -> {
                if (values.replace(name, value) == null) {
                    throw new IllegalArgumentException(
                            run + "-smoke.properties changes " + name + ", which " + run + ".properties does not have");
                }
            });
        }
        SortedMap<String, String> about = new TreeMap<>(values.subMap(ABOUT, ABOUT + Character.MAX_VALUE));
        values.keySet().removeAll(about.keySet());
        Path target = Path.of(system.getProperty(Launch.TARGET, "target")).toAbsolutePath();
        Settings settings = new Settings(run, about, values, about.getOrDefault("run.prefix", run) + ".", target);
        for (String name : system.stringPropertyNames()) {
            if (settings.owns(name)) {
                settings.override(name, system.getProperty(name));
            }
        }
        return settings;
    }

    /** Settings of no file, for tests. */
    public static Settings of(String prefix, Map<String, String> values) {
        return new Settings("test", new TreeMap<>(), new TreeMap<>(values), prefix, Path.of("target"));
    }

    /** Those of the run that this one extends come first. */
    private static void read(String run, String suffix, Map<String, String> values) {
        Map<String, String> own = file(run, "");
        String base = own.get("run.extends");
        if (base != null) {
            read(base, suffix, values);
        }
        values.putAll(suffix.isEmpty() ? own : file(run, suffix));
    }

    private static Map<String, String> file(String run, String suffix) {
        String name = "/" + run + suffix + ".properties";
        Properties properties = new Properties();
        try (InputStream file = Settings.class.getResourceAsStream(name)) {
            if (file == null && suffix.isEmpty()) {
                throw new IllegalArgumentException("There is no run " + run + ": no " + name + " on the class path");
            }
            if (file != null) {
                properties.load(new InputStreamReader(file, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.stringPropertyNames().stream()
                .collect(Collectors.toMap(
                        key -> key, key -> properties.getProperty(key).strip()));
    }

    /** Whether a system property is for this run: further dots tell of another run, whose prefix begins with this one. */
    boolean owns(String property) {
        return property.startsWith(prefix) && property.indexOf('.', prefix.length()) < 0;
    }

    private void override(String property, String value) {
        if (values.replace(property.substring(prefix.length()), value) == null) {
            throw new IllegalArgumentException("%s is no setting of %s, which has %s"
                    .formatted(
                            property,
                            run,
                            values.keySet().stream().map(prefix::concat).collect(Collectors.joining(", "))));
        }
    }

    String className() {
        String name = about.get("run.class");
        if (name == null) {
            throw new IllegalArgumentException(run + ".properties does not have run.class");
        }
        return name;
    }

    List<String> jvm() {
        return splitWords(about.getOrDefault("run.jvm", ""));
    }

    /** What it is called: its file, its directory and its result have this name. */
    public String run() {
        return run;
    }

    String prefix() {
        return prefix;
    }

    SortedMap<String, String> values() {
        return values;
    }

    /** The run's own directory, which exists. */
    public Path directory() throws IOException {
        return Files.createDirectories(target.resolve(run));
    }

    /** The directory of all results, which exists. */
    public Path results() throws IOException {
        return Files.createDirectories(target.resolve("../../target/results").normalize());
    }

    /** Where PostgreSQL's programs are, for all runs of all modules. */
    public Path postgres() throws IOException {
        return results().resolveSibling("postgres");
    }

    public Path inRepository(String path) {
        return target.resolve("../../..").resolve(path).normalize();
    }

    /**
     * The value of a setting.
     *
     * @throws IllegalArgumentException if there is no such setting
     */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(prefix + name + " is no setting of " + run);
        }
        return value;
    }

    public boolean flag(String name) {
        return parsed(
                name,
                text(name),
                "true or false",
                Boolean::valueOf,
                value -> text(name).equals("" + value));
    }

    public long integer(String name) {
        return parsed(name, text(name), "an integer", Long::valueOf, value -> true);
    }

    /** An int of at least 0. */
    public int count(String name) {
        return parsed(name, text(name), "an integer of at least 0", Integer::valueOf, value -> value >= 0);
    }

    public int atLeastOne(String name) {
        return parsed(name, text(name), "an integer of at least 1", Integer::valueOf, value -> value >= 1);
    }

    public double positive(String name) {
        return parsed(name, text(name), "more than 0", Double::valueOf, value -> value > 0);
    }

    public double share(String name) {
        return share(name, text(name));
    }

    private double share(String name, String text) {
        return parsed(name, text, "a share: 0 <= share <= 1", Double::valueOf, value -> value >= 0 && value <= 1);
    }

    /** Several of them, between commas. */
    public List<Double> shares(String name) {
        return list(name).map(value -> share(name, value)).toList();
    }

    /** Several of them, between commas. */
    public List<Duration> millisOfEach(String name) {
        return list(name)
                .map(value -> Duration.ofMillis(parsed(name, value, "integers", Long::valueOf, millis -> true)))
                .toList();
    }

    public Duration millis(String name) {
        return Duration.ofMillis(integer(name));
    }

    /** A part of a second can be given too. */
    public Duration seconds(String name) {
        return Duration.ofMillis(Math.round(1_000 * positive(name)));
    }

    /** Words between commas. */
    public Stream<String> list(String name) {
        return Stream.of(text(name).split(",")).map(String::strip).filter(word -> !word.isEmpty());
    }

    /** Names of an enum's constants, between commas. */
    public <E extends Enum<E>> List<E> constants(String name, Class<E> type) {
        String names = Stream.of(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", "));
        return list(name)
                .map(value ->
                        parsed(name, value, "one of " + names, word -> Enum.valueOf(type, word), constant -> true))
                .toList();
    }

    /** Words between blanks. */
    public List<String> words(String name) {
        return splitWords(text(name));
    }

    private static List<String> splitWords(String text) {
        return Stream.of(text.split(" ")).filter(word -> !word.isBlank()).toList();
    }

    private <T> T parsed(String name, String text, String rule, Function<String, T> parser, Predicate<T> isAllowed) {
        try {
            T value = parser.apply(text);
            if (isAllowed.test(value)) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            // as one that is not allowed
        }
        throw new IllegalArgumentException(prefix + name + "=" + text + " must be " + rule);
    }
}
