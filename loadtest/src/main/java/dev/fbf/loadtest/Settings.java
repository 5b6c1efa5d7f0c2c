package dev.fbf.loadtest;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What can be set about a run, as system properties. Meanings and defaults stand in one place: this module's POM, which
 * hands them over.
 */
public final class Settings {

    private final Function<String, @Nullable String> properties;
    private final String prefix;

    /**
     * Reads properties.
     *
     * @param properties finds them
     * @param prefix what their names begin with, the dot included
     */
    public Settings(Function<String, @Nullable String> properties, String prefix) {
        this.properties = properties;
        this.prefix = prefix;
    }

    public String text(String name) {
        String value = properties.apply(prefix + name);
        if (value == null) {
            throw new IllegalArgumentException(prefix + name + " is not set: run \"mvn -Ploadtest verify\"");
        }
        return value;
    }

    public long integer(String name) {
        return Long.parseLong(text(name));
    }

    public int atLeastOne(String name) {
        int value = Integer.parseInt(text(name));
        if (value < 1) {
            throw refused(name, value, "at least 1");
        }
        return value;
    }

    public double positive(String name) {
        double value = Double.parseDouble(text(name));
        if (!(value > 0)) {
            throw refused(name, value, "more than 0");
        }
        return value;
    }

    public double share(String name) {
        return share(name, text(name));
    }

    /** Several of them, between commas. */
    public List<Double> shares(String name) {
        return list(name).map(value -> share(name, value)).toList();
    }

    /** Several of them, between commas. */
    public List<Duration> millisOfEach(String name) {
        return list(name).map(Long::parseLong).map(Duration::ofMillis).toList();
    }

    public Duration millis(String name) {
        return Duration.ofMillis(integer(name));
    }

    /** A part of a second can be given too. */
    public Duration seconds(String name) {
        return Duration.ofMillis(Math.round(1_000 * positive(name)));
    }

    private Stream<String> list(String name) {
        return Stream.of(text(name).split(",")).map(String::strip);
    }

    private double share(String name, String text) {
        double value = Double.parseDouble(text);
        if (!(value >= 0 && value < 1)) {
            throw refused(name, value, "a share: 0 <= share < 1");
        }
        return value;
    }

    private IllegalArgumentException refused(String name, Object value, String rule) {
        return new IllegalArgumentException(prefix + name + "=" + value + " must be " + rule);
    }
}
