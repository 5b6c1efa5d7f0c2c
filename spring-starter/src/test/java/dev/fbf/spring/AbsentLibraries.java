package dev.fbf.spring;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out what Spring Boot would configure for libraries that most applications of the tests do without, though they are
 * on the class path: they start in half the time.
 */
public final class AbsentLibraries implements AutoConfigurationImportFilter, EnvironmentAware {

    /** For an application that is to have them all. */
    public static final String NONE = "tests.all-libraries=true";

    private static final List<String> PACKAGES = List.of(
            "org.springdoc.",
            "org.springframework.boot.actuate.",
            "org.springframework.boot.health.",
            "org.springframework.boot.micrometer.");

    private boolean all;

    @Override
    public void setEnvironment(Environment environment) {
        all = environment.getProperty("tests.all-libraries", Boolean.class, false);
    }

    @Override
    public boolean[] match(@Nullable String[] autoConfigurations, AutoConfigurationMetadata metadata) {
        boolean[] present = new boolean[autoConfigurations.length];
        for (int i = 0; i < present.length; i++) {
            String name = Objects.requireNonNullElse(autoConfigurations[i], "");
            present[i] = all || PACKAGES.stream().noneMatch(name::startsWith);
        }
        return present;
    }
}
