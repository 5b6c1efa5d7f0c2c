package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.scheduling.config.TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.operation.StartException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;

/** Beans with annotated methods that fbf's advice cannot reach: the application does not start, and says which and why. */
class UnguardedBeansTest extends ProcessesTest {

    @Test
    void aBeanThatABeanPostProcessorNeedsIsMadeTooEarly() {
        assertFails(
                context -> {
                    context.registerBean("early", Early.class);
                    context.registerBean("needy", Needy.class, () -> new Needy(context.getBean(Early.class)));
                },
                "early (" + Early.class.getName() + ")");
    }

    @Test
    void anObjectThatIsRegisteredByHandPassesNoPostProcessor() {
        assertFails(context -> context.getBeanFactory().registerSingleton("made", new Early()), "made (");
    }

    @Test
    void aChildContextWithoutTheAutoConfigurationDoesNotStart() {
        try (CountingApp app = start(context -> {});
                AnnotationConfigApplicationContext child = childOf(app)) {
            child.registerBean("early", Early.class, definition -> definition.setLazyInit(true));

            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(child::refresh)
                    .withMessageContaining("early (" + Early.class.getName() + ")")
                    .satisfies(failure -> assertThat(failure.action()).contains("parent"));
        }
    }

    @Test
    void anAsynchronousMethodThatAspectJRunsDoesNotStart() {
        assertThatExceptionOfType(BeanCreationException.class)
                .isThrownBy(() -> start(context -> {
                            context.registerBean(Later.class);
                            context.registerBean(ASYNC_EXECUTION_ASPECT_BEAN_NAME, Needless.class);
                        })
                        .close())
                .withRootCauseInstanceOf(StartException.class)
                .withMessageContaining("it is @Async in AspectJ mode");
    }

    @Test
    void aBeanThatIsMadeLaterIsGuardedThen() {
        try (CountingApp app = start(
                context -> context.registerBean("late", Early.class, definition -> definition.setLazyInit(true)))) {
            app.bean(Early.class).count("a");
            app.bean(Early.class).count("a");

            assertThat(app.bean(Early.class).counted()).isEqualTo(1);
        }
    }

    private void assertFails(Consumer<AnnotationConfigApplicationContext> beans, String bean) {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(() -> start(beans).close())
                .withMessageContaining(bean)
                .satisfies(failure -> assertThat(failure.action()).contains("BeanPostProcessor"));
    }

    private CountingApp start(Consumer<AnnotationConfigApplicationContext> beans) {
        return CountingApp.start(directory, new String[0], context -> {
            CountingApp.addTo(context, dataSource);
            beans.accept(context);
        });
    }

    private static AnnotationConfigApplicationContext childOf(CountingApp app) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(app.context());
        return child;
    }

    static class Early {

        private int counted;

        int counted() {
            return counted;
        }

        @IdempotentIncrement(scope = "early", key = "#key")
        void count(String key) {
            counted++;
        }
    }

    static class Needless {}

    record Needy(Early early) implements BeanPostProcessor, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }
    }

    static class Later {

        @Async
        @IdempotentIncrement(key = "#key")
        void count(String key) {}
    }
}
