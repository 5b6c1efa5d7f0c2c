package dev.fbf.spring;

import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

/** The auto-configurations of the starter, as an application finds them. */
public final class FbfAutoConfigurations {

    private FbfAutoConfigurations() {}

    public static AutoConfigurations all() {
        ClassLoader loader = FbfAutoConfigurations.class.getClassLoader();
        return AutoConfigurations.of(StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("dev.fbf.spring."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new));
    }

    /** In their order, to be registered. */
    public static Class<?>[] classes() {
        return Configurations.getClasses(all());
    }
}
