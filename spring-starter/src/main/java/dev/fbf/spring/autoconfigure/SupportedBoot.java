package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.StartException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Initializer that stops the start on Spring Boot 3 or older, before beans are created. Uses only classes that exist in
 * Spring Boot 3, and is registered in {@code spring.factories}, which Spring Boot 3 also reads.
 */
final class SupportedBoot implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final int FIRST = 4;

    private final Supplier<@Nullable String> version;

    SupportedBoot() {
        this(SpringBootVersion::getVersion);
    }

    /** @param version returns Spring Boot's version; null if not known */
    SupportedBoot(Supplier<@Nullable String> version) {
        this.version = version;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        String found = version.get();
        if (found != null && Integer.parseInt(found.substring(0, found.indexOf('.'))) < FIRST) {
            throw new StartException(
                    "fbf needs Spring Boot " + FIRST + " or newer, but this application has " + found
                            + ": nothing would be guarded.",
                    "Upgrade the application to Spring Boot " + FIRST
                            + ", or remove fbf-spring-boot-starter until then.",
                    null);
        }
    }
}
