package dev.fbf.spring.operation;

import dev.fbf.spring.FbfProperties;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** Signals unknown properties below {@code fbf}. */
final class UnknownPropertyException extends StartException {

    private static final long serialVersionUID = 1L;

    UnknownPropertyException(Collection<ConfigurationProperty> unknown, Throwable cause) {
        super(
                unknown.stream()
                        .map(property -> "Unknown property " + property.getName() + "=" + property.getValue()
                                + (property.getOrigin() == null ? "." : ", from " + property.getOrigin() + "."))
                        .sorted()
                        .collect(Collectors.joining(" ")),
                "Correct the name, or remove the property. Below fbf there are " + names(FbfProperties.class)
                        + "; below the name of a scope, " + names(FbfProperties.Scope.class)
                        + ". Enclose a scope's name that has dots, capitals or underscores in brackets:"
                        + " fbf.scopes[page-views.EU].retry-window.",
                cause);
    }

    private static String names(Class<?> type) {
        return names("", type).sorted().collect(Collectors.joining(", "));
    }

    private static Stream<String> names(String prefix, Class<?> type) {
        return Arrays.stream(type.getRecordComponents()).flatMap(component -> {
            String name = prefix + DataObjectPropertyName.toDashedForm(component.getName());
            return component.getType().isRecord() ? names(name + ".", component.getType()) : Stream.of(name);
        });
    }
}
