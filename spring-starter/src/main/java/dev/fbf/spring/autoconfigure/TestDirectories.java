package dev.fbf.spring.autoconfigure;

import dev.fbf.spring.Nodes;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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
    private static final String NODES = "fbf.nodes";

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return new OwnDirectory();
    }

    /** One is like another: contexts are shared between test classes as without it. */
    private record OwnDirectory() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            Map<String, Object> own = new HashMap<>();
            if (!sets(DIRECTORY, configuration)) {
                own.put(DIRECTORY, newDirectory());
            }
            if (!sets(NODES, configuration)) {
                own.put(NODES, Nodes.UNCHECKED);
            }
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("fbf in a test's context", own));
        }

        private static boolean sets(String property, MergedContextConfiguration configuration) {
            return Arrays.stream(configuration.getPropertySourceProperties())
                    .anyMatch(line -> line.startsWith(property));
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
