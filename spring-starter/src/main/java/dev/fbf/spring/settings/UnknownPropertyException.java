package dev.fbf.spring.settings;

import java.util.Collection;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** Something is set below fbf.scopes that nobody would read. */
final class UnknownScopePropertyException extends StartException {

    private static final long serialVersionUID = 1L;

    UnknownScopePropertyException(Collection<ConfigurationProperty> unknown, Throwable cause) {
        super(
                unknown.stream()
                        .map(property -> "Nothing would read " + property.getName() + "=" + property.getValue()
                                + (property.getOrigin() == null ? "." : ", from " + property.getOrigin() + "."))
                        .sorted()
                        .collect(Collectors.joining(" ")),
                "Set one of those that a scope has: mode, expected-operations-per-second, retry-window, false-positive-probability,"
                        + " max-size, adaptation, key.require-time or key.max-skew. Put a scope's name with dots, capitals or"
                        + " underscores in brackets: fbf.scopes[page-views.EU].retry-window.",
                cause);
    }
}
