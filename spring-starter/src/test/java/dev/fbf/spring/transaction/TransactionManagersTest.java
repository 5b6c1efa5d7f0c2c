package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.FbfAutoConfigurations;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.operation.StartException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** The choice among several transaction managers, and where they are. */
class TransactionManagersTest extends ProcessesTest {

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theOnlyOneWithADataSourceIsTakenBesideThatOfAMessageBroker(Mode mode) {
        countTwice(mode, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    "broker", PlatformTransactionManager.class, TransactionManagersTest::brokerTransactions);
        });

        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void severalWithADataSourceStopTheStartByTheirNames() {
        StartException refused = refusedStart(context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    "broker", PlatformTransactionManager.class, TransactionManagersTest::brokerTransactions);
            context.registerBean(
                    "reports", PlatformTransactionManager.class, () -> new JdbcTransactionManager(dataSource));
        });

        assertThat(refused)
                .hasMessageContaining("transactions, ")
                .hasMessageContaining("reports")
                .hasMessageContaining("broker without a known data source")
                .hasMessageContaining("no transaction manager is the only or primary one");
        assertThat(FailureAnalyses.of(refused).getAction()).contains("transactionManager = \"…\"");
    }

    /** The primary data source would be a guess: with it, operations were applied three times without a message. */
    @Test
    void oneWhoseDataSourceIsNotKnownStopsTheStartThoughThereIsAPrimaryDataSource() {
        StartException refused = refusedStart(context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(
                    "broker", PlatformTransactionManager.class, TransactionManagersTest::brokerTransactions);
            context.registerBean(OfBroker.class);
        });

        assertThat(refused)
                .hasMessageContaining("the data source of the transaction manager broker is not known")
                .hasMessageContaining("transactions, ");
        assertThat(FailureAnalyses.of(refused).getAction()).contains("transactionManager = \"…\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"broker", "broker topics"})
    void anApplicationWithOnlyThoseOfMessageBrokersIsToldToDeclareOne(String brokers) {
        StartException refused = refusedStart(context -> {
            context.registerBean("dataSource", DataSource.class, () -> dataSource);
            for (String broker : brokers.split(" ", -1)) {
                context.registerBean(
                        broker, PlatformTransactionManager.class, TransactionManagersTest::brokerTransactions);
            }
            context.registerBean(Counter.class, () -> new Counter(dataSource));
        });

        assertThat(refused).hasMessageContaining("broker without a known data source");
        assertThat(FailureAnalyses.of(refused).getAction())
                .contains("@Bean JdbcTransactionManager transactionManager(DataSource dataSource)");
    }

    private void countTwice(Mode mode, Consumer<AnnotationConfigApplicationContext> beans) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of("fbf.directory=" + directory, "fbf.mode=" + mode)
                    .applyTo(context);
            beans.accept(context);
            context.register(FbfAutoConfigurations.classes());
            context.refresh();
            Counter counter = context.getBean(Counter.class);
            counter.count("a");
            assertThat(counter.count("a")).isEqualTo("counted before: a");
        }
    }

    private StartException refusedStart(Consumer<AnnotationConfigApplicationContext> beans) {
        StartException[] refused = new StartException[1];
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(
                        () -> CountingApp.start(directory, new String[0], beans).close())
                .satisfies(e -> refused[0] = e);
        return refused[0];
    }

    static class OfBroker {
        @IdempotentIncrement(scope = "broker", key = "#key", transactionManager = "broker")
        void count(String key) {}
    }

    /** As the manager of a broker's transactions is: its resource is not a data source. */
    private static PlatformTransactionManager brokerTransactions() {
        AbstractPlatformTransactionManager broker = mock(
                AbstractPlatformTransactionManager.class,
                withSettings().extraInterfaces(ResourceTransactionManager.class));
        when(((ResourceTransactionManager) broker).getResourceFactory()).thenReturn("broker");
        return broker;
    }
}
