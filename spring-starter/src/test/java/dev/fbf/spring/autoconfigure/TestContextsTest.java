package dev.fbf.spring.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The test classes of an application have contexts of their own, which Spring keeps open until the end of the run. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class TestContextsTest {

    private static @Nullable DataSource postgres;

    @BeforeAll
    static void makeTheTable(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        postgres = dataSource;
    }

    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {"its.own=1", "fbf.mode=filter"})
    private static class OneTest {}

    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {"its.own=2", "fbf.mode=filter"})
    private static class AnotherTest {}

    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "fbf.directory=target/directory-of-a-test")
    private static class TestWithADirectory {}

    @SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE)
    private static class TestWithAMock {

        @MockitoBean
        @SuppressWarnings("UnusedVariable") // the context has it
        private @Nullable Counter counter;
    }

    /** Spring registers it past all post-processors. */
    @Test
    void aTestMayReplaceAGuardedBean() {
        assertThat(Mockito.mockingDetails(context(TestWithAMock.class).getBean(Counter.class))
                        .isMock())
                .isTrue();
    }

    @Test
    void contextsWithDifferentPropertiesAreOpenAtTheSameTime() {
        ApplicationContext one = context(OneTest.class);
        ApplicationContext another = context(AnotherTest.class);

        assertThat(one).isNotSameAs(another).isSameAs(context(OneTest.class));
        for (ApplicationContext each : new ApplicationContext[] {one, another}) {
            String key = directory(each).toString();
            assertThat(each.getBean(Counter.class).count(key)).isEqualTo("counted");
            assertThat(each.getBean(Counter.class).count(key)).isEqualTo("counted before: " + key);
        }
    }

    @Test
    void aTestHasTheDirectoryThatItNames() {
        assertThat(directory(context(TestWithADirectory.class))).isEqualTo(Path.of("target/directory-of-a-test"));
    }

    private static ApplicationContext context(Class<?> test) {
        return new TestContextManager(test).getTestContext().getApplicationContext();
    }

    private static Path directory(ApplicationContext context) {
        return context.getBean(FbfProperties.class).directory();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        DataSource dataSource() {
            return requireNonNull(postgres);
        }

        @Bean
        Counter counter(DataSource dataSource) {
            return new Counter(dataSource);
        }
    }
}
