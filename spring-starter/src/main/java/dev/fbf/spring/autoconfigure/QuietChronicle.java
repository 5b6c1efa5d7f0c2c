package dev.fbf.spring.autoconfigure;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Default log levels that suppress Chronicle's hints about JVM flags, which fbf does not need. Levels set by the user take precedence. */
final class QuietChronicle implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "fbfLoggingDefaults",
                        Map.of(
                                "logging.level.net.openhft.chronicle.core.Jvm", "warn",
                                "logging.level.net.openhft.chronicle.core.internal.ClassUtil", "off")));
    }
}
