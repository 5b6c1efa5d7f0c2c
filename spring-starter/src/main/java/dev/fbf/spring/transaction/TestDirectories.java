package dev.fbf.spring.transaction;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.FileSystemUtils;

/**
 * Customizer that gives each application context of a test run its own directory, which is deleted at the end of the run. Spring keeps the
 * contexts of earlier test classes open, and a directory can be used by one context only. A value of {@code fbf.directory} in a test's own
 * properties takes precedence. Contexts of a test run may share a database: they are not registered as its nodes. All instances are equal, so
 * that test classes share contexts as usual.
 */
record TestDirectories() implements ContextCustomizerFactory, ContextCustomizer {

    private static final String DIRECTORY = "fbf.directory";

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return this;
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        if (context.getBeanFactory() instanceof BeanDefinitionRegistry beans) {
            FbfAutoConfiguration.leaveUnregistered(beans);
        }
        if (Arrays.stream(configuration.getPropertySourceProperties()).noneMatch(line -> line.startsWith(DIRECTORY))) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("fbf in a test's context", Map.of(DIRECTORY, newDirectory())));
        }
    }

    /** Returns a name without creating the directory, because contexts without scopes in filter mode do not need one. */
    private static String newDirectory() {
        Path directory = Path.of(System.getProperty("java.io.tmpdir"), "fbf-test-" + UUID.randomUUID());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> FileSystemUtils.deleteRecursively(directory.toFile())));
        return directory.toString();
    }
}
