package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Validation of properties. */
final class PropertyChecks {

    /** Token (RFC 9110, section 5.6.2). */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

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
     *
     * @throws BindException with these names
     */
    static void requireKnown(Environment environment) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            sources.add(source.filter(name -> OF_OTHER_MODULES.stream().noneMatch(its -> its.isAncestorOf(name))));
        }
        new Binder(sources, new PropertySourcesPlaceholdersResolver(environment))
                .bind(
                        "fbf",
                        Bindable.of(FbfProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
    }

    private static void check(String property, @Nullable Object value, boolean holds, String why) {
        if (!holds) {
            throw new InvalidConfigurationPropertyValueException(property, value, why);
        }
    }
}
