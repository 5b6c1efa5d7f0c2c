package dev.fbf.spring.operation;

import dev.fbf.core.DurationText;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/** Definition of a scope: its own settings, with those of all scopes as defaults. Thread-safe. */
public final class ScopeDefinition {

    private static final String ALL = "fbf.";

    private static final FbfProperties.Scope UNSET = new FbfProperties.Scope(
            null,
            null,
            null,
            null,
            null,
            new FbfProperties.ScopeKey(null, null),
            new FbfProperties.ScopeFingerprint(null));

    /** A scope's name that needs no brackets in a property. */
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private static final Duration MAX_DEFAULT_SKEW = Duration.ofMinutes(1);

    private final FbfProperties all;
    private final FbfProperties.Scope own;
    private final String prefix;
    private final @Nullable Duration declaredWindow;
    private final boolean comparesRequests;
    private final Duration retryWindow;
    private final RetryWindow window;

    /**
     * Resolves the definition of a scope.
     *
     * @param declaredWindow the retry window that its operations declare; null if they declare none
     */
    ScopeDefinition(String name, FbfProperties all, InstantSource clock, @Nullable Duration declaredWindow) {
        this.declaredWindow = declaredWindow;
        FbfProperties.Scope set = all.scopes().get(name);
        this.all = all;
        own = set == null ? UNSET : set;
        prefix = property(name) + ".";
        comparesRequests = or(own.fingerprint().enabled(), all.fingerprint().enabled());
        retryWindow = or(ownWindow(), all.retryWindow());
        window = new RetryWindow(name, clock, retryWindow, maxSkew(), requireTime());
    }

    /** Returns the prefix of a scope's properties. */
    public static String property(String scope) {
        return ALL + "scopes" + (PLAIN.matcher(scope).matches() ? "." + scope : "[" + scope + "]");
    }

    private @Nullable Duration ownWindow() {
        return own.retryWindow() != null ? own.retryWindow() : declaredWindow;
    }

    /** Returns the window that decides on keys with a time. */
    RetryWindow window() {
        return window;
    }

    /**
     * Returns the requirements for the filter.
     *
     * @param requests whether the filter remembers requests
     */
    FilterSizing sizing(boolean requests) {
        DataSize size = maxSize();
        return new FilterSizing(
                rate(),
                retryWindow,
                falsePositiveProbability(),
                size == null ? FilterSizing.UNLIMITED : size.toBytes(),
                requests);
    }

    /**
     * Derives the filter's plan.
     *
     * @param requests whether the filter remembers requests
     * @throws InvalidConfigurationPropertyValueException if the plan would exceed the largest allowed size, or the probability is too low
     */
    FilterPlan plan(boolean requests) {
        try {
            FilterPlan plan = sizing(requests).plan();
            return maxSize() == null ? plan.withDefaultLimit() : plan;
        } catch (IllegalArgumentException e) {
            throw refused(e, requests ? "; or less without requests: fbf.fingerprint.enabled=false" : "");
        }
    }

    public Mode mode() {
        return or(own.mode(), all.mode());
    }

    /** Returns whether requests are compared if their keys come in the header. */
    public boolean comparesRequests() {
        return comparesRequests;
    }

    public Duration retryWindow() {
        return retryWindow;
    }

    public boolean requireTime() {
        return or(own.key().requireTime(), all.key().requireTime());
    }

    /**
     * Returns the allowed clock difference. Synchronized clocks differ by less than a minute. The allowance shortens the end of the window,
     * so a short window allows only a fraction of itself.
     */
    public Duration maxSkew() {
        Duration set = setSkew();
        if (set != null) {
            return set;
        }
        Duration part = retryWindow().dividedBy(10);
        return part.compareTo(MAX_DEFAULT_SKEW) < 0 ? part : MAX_DEFAULT_SKEW;
    }

    /**
     * Checks the range of each setting.
     *
     * @param mode the scope's mode
     * @throws InvalidConfigurationPropertyValueException if a value is out of its range
     */
    void validate(Mode mode) {
        if (retryWindow.compareTo(OperationSettings.SHORTEST_WINDOW) < 0) {
            throw refused(
                    "retry-window",
                    ownWindow(),
                    retryWindow,
                    "must be at least " + DurationText.of(OperationSettings.SHORTEST_WINDOW)
                            + ". A number without a unit means milliseconds: write 10s or 10m");
        }
        if (mode == Mode.LEDGER && retryWindow.compareTo(OperationSettings.LONGEST_WINDOW) > 0) {
            throw refused(
                    "retry-window",
                    ownWindow(),
                    retryWindow,
                    "must be at most " + DurationText.of(OperationSettings.LONGEST_WINDOW));
        }
        Duration skew = setSkew();
        if (skew != null && (skew.isNegative() || skew.compareTo(retryWindow) >= 0)) {
            throw refused(
                    "key.max-skew",
                    own.key().maxSkew(),
                    skew,
                    "must not be negative, and must be less than " + name("retry-window", ownWindow()) + ", which is "
                            + DurationText.of(retryWindow));
        }
        if (mode == Mode.FILTER) {
            try {
                sizing(false);
            } catch (IllegalArgumentException e) {
                throw refused(e, "");
            }
        }
    }

    /** Refuses the value that the message of {@link FilterSizing} begins with. */
    private InvalidConfigurationPropertyValueException refused(IllegalArgumentException e, String more) {
        String why = String.valueOf(e.getMessage());
        return switch (why.substring(0, Math.max(0, why.indexOf('=')))) {
            case "retryWindow" -> refused("retry-window", ownWindow(), retryWindow, why);
            case "expectedOperationsPerSecond" ->
                refused("expected-operations-per-second", own.expectedOperationsPerSecond(), rate(), why);
            case "falsePositiveProbability" ->
                refused("false-positive-probability", own.falsePositiveProbability(), falsePositiveProbability(), why);
            default -> refused("max-size", own.maxSize(), maxSize(), why + more);
        };
    }

    /** Returns a summary for the startup log. */
    @Override
    public String toString() {
        return "retries for " + DurationText.of(retryWindow);
    }

    private @Nullable Duration setSkew() {
        return own.key().maxSkew() != null ? own.key().maxSkew() : all.key().maxSkew();
    }

    private double rate() {
        return or(own.expectedOperationsPerSecond(), all.expectedOperationsPerSecond());
    }

    private double falsePositiveProbability() {
        return or(own.falsePositiveProbability(), all.falsePositiveProbability());
    }

    private @Nullable DataSize maxSize() {
        return own.maxSize() != null ? own.maxSize() : all.maxSize();
    }

    private InvalidConfigurationPropertyValueException refused(
            String property, @Nullable Object ownValue, @Nullable Object value, String why) {
        return new InvalidConfigurationPropertyValueException(name(property, ownValue), value, why);
    }

    /** Returns the name of the effective property: the scope's own, or the one for all scopes. */
    private String name(String property, @Nullable Object ownValue) {
        return (ownValue != null ? prefix : ALL) + property;
    }

    private static <T> T or(@Nullable T own, T all) {
        return own != null ? own : all;
    }
}
