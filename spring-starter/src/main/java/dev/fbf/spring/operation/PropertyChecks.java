package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Validation of properties. */
final class PropertyChecks {

    /** Token (RFC 9110, section 5.6.2). */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<String> NOT_KEPT =
            new TreeSet<>(Set.of("set-cookie", "content-length", "transfer-encoding", "connection", "date"));

    private static final List<ConfigurationPropertyName> OF_OTHER_MODULES =
            List.of(ConfigurationPropertyName.of("fbf.client"), ConfigurationPropertyName.of("fbf.cassandra"));

    private PropertyChecks() {}

    /**
     * Checks the properties that scopes cannot set.
     *
     * @throws InvalidConfigurationPropertyValueException if a value is invalid
     */
    static void checkAll(FbfProperties properties) {
        check("fbf.max-claims", properties.maxClaims(), properties.maxClaims() >= 1, "must be at least 1");
        Duration timeout = properties.counters().timeout();
        check("fbf.counters.timeout", timeout, !timeout.isNegative() && !timeout.isZero(), "must be more than 0");
        DataSize longest = properties.responses().maxBody();
        check(
                "fbf.responses.max-body",
                longest,
                longest.toBytes() >= 0 && longest.toBytes() <= Integer.MAX_VALUE,
                "must be from 0 to " + Integer.MAX_VALUE + " bytes");
        for (String kept : properties.responses().headers()) {
            check(
                    "fbf.responses.headers",
                    kept,
                    HEADER_NAME.matcher(kept).matches() && !NOT_KEPT.contains(kept.toLowerCase(Locale.ROOT)),
                    "must be names of headers other than " + NOT_KEPT
                            + ": cookies belong to one response, and the server sets the others");
        }
        String header = properties.key().header();
        check(
                "fbf.key.header",
                header,
                HEADER_NAME.matcher(header).matches(),
                "must be the name of a header, such as Idempotency-Key");
    }

    /**
     * Refuses unknown names below {@code fbf}, such as a misspelled one, or a scope's name with dots outside brackets. Ignores environment
     * variables and system properties.
     */
    static void requireKnown(Environment environment) {
        try {
            Binder.get(environment)
                    .bind(
                            "fbf",
                            Bindable.of(FbfProperties.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            if (!(e.getCause() instanceof UnboundConfigurationPropertiesException unbound)) {
                throw e;
            }
            String unknown = unbound.getUnboundProperties().stream()
                    .filter(property ->
                            OF_OTHER_MODULES.stream().noneMatch(name -> name.isAncestorOf(property.getName())))
                    .map(property -> "Unknown property " + property.getName() + "=" + property.getValue()
                            + (property.getOrigin() == null ? "." : ", from " + property.getOrigin() + "."))
                    .sorted()
                    .collect(Collectors.joining(" "));
            if (!unknown.isEmpty()) {
                throw new StartException(
                        unknown,
                        "Correct the name, or remove the property: docs/properties.md lists all. Enclose a scope's name that"
                                + " has dots, capitals or underscores in brackets: fbf.scopes[page-views.EU].retry-window.",
                        e);
            }
        }
    }

    private static void check(String property, @Nullable Object value, boolean holds, String why) {
        if (!holds) {
            throw new InvalidConfigurationPropertyValueException(property, value, why);
        }
    }
}
