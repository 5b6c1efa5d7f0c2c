package dev.fbf.spring.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.ChildJvm;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/** An application without actuator, Micrometer and a web server: in a process whose classpath has none of them. */
@ExtendWith(PostgresExtension.class)
class BareClasspathTest {

    private static final Pattern LEFT_OUT =
            Pattern.compile("(micrometer-core|micrometer-jakarta9|spring-boot-micrometer"
                    + "|spring-boot-starter-micrometer|spring-boot-actuator|spring-boot-health|spring-web|tomcat-|jakarta.servlet"
                    + "|spring-boot-tomcat|spring-boot-web|spring-boot-servlet|spring-boot-starter-web).*");

    @TempDir
    private Path directory;

    @Tag("slow")
    @Test
    void countsWithoutThem(EmbeddedPostgres postgres) throws Exception {
        CountedTable.makeIn(PostgresExtension.newDatabase(postgres, "bare"));
        Process process = ChildJvm.of(
                        strict(),
                        ChildJvm.classpathWithout(LEFT_OUT.asMatchPredicate()),
                        Application.class,
                        "--spring.main.banner-mode=off",
                        "--" + AbsentLibraries.NONE,
                        "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "bare"),
                        "--fbf.mode=filter",
                        "--fbf.directory=" + directory,
                        "--fbf.expected-operations-per-second=10")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
                .contains("without Micrometer: true, without actuator: true, counted, counted before: a")
                .doesNotContain("WARN", "chronicle", "Unsafe");
        assertThat(process.waitFor()).isZero();
    }

    /** The directory with fbf's classes, which an IDE and "mvn test" have in place of its jar, is not a multi-release jar. */
    private static List<String> strict() {
        boolean isJar = MappedWords.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath()
                .endsWith(".jar");
        return isJar ? ChildJvm.strict() : List.of();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Counter.class)
    static class Application {

        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments)) {
                Counter counter = context.getBean(Counter.class);
                System.out.printf(
                        "without Micrometer: %s, without actuator: %s, %s, %s%n",
                        isMissing("io.micrometer.core.instrument.MeterRegistry"),
                        isMissing("org.springframework.boot.actuate.endpoint.annotation.Endpoint"),
                        counter.count("a"),
                        counter.count("a"));
            }
        }

        private static boolean isMissing(String name) {
            return !ClassUtils.isPresent(name, Application.class.getClassLoader());
        }
    }
}
