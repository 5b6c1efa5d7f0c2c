package dev.fbf.spring.jdbc;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.FileSystemUtils;

/**
 * Gives each application context of a test run a directory of its own, which is deleted at the end of the run: Spring keeps
 * the contexts of earlier test classes open, and a directory serves one context. A test class that sets {@code
 * fbf.directory} itself, inline or with a file, has it as it says. Contexts of a test run may share a database, and are not
 * checked for that.
 */
final class TestDirectories implements ContextCustomizerFactory {

    private static final String DIRECTORY = "fbf.directory";

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return new OwnDirectory();
    }

    /** One is like another: contexts are shared between test classes as without it. */
    private record OwnDirectory() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            if (context.getBeanFactory() instanceof BeanDefinitionRegistry beans) {
                FbfAutoConfiguration.leaveUnregistered(beans);
            }
            if (Arrays.stream(configuration.getPropertySourceProperties())
                    .noneMatch(line -> line.startsWith(DIRECTORY))) {
                context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("fbf in a test's context", Map.of(DIRECTORY, newDirectory())));
            }
        }

        /** Only the name: a context that guards nothing on PostgreSQL makes no directory. */
        private static String newDirectory() {
            Path directory = Path.of(System.getProperty("java.io.tmpdir"), "fbf-test-" + UUID.randomUUID());
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> FileSystemUtils.deleteRecursively(directory.toFile())));
            return directory.toString();
        }
    }
}
