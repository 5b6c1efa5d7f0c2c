package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.operation.StartException;
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

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        require(SpringBootVersion.getVersion());
    }

    /** @param found Spring Boot's version; null if not known */
    static void require(@Nullable String found) {
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
