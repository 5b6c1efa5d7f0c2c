package dev.fbf.spring;

import dev.fbf.spring.transaction.ConstantsOfTheTest;
import dev.fbf.spring.transaction.NodeStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.FileSystemUtils;

/** An application that counts, without a web server: a {@link Counter} in a guarded database. */
public final class CountingApp implements AutoCloseable {

    public final Counter counter;
    public final TransactionTemplate transaction;
    public final NodeStatus status;
    public final SmartLifecycle guards;

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    private CountingApp(Path directory, String[] properties, Consumer<AnnotationConfigApplicationContext> beans) {
        TestPropertyValues.of("fbf.mode=filter", "fbf.directory=" + directory, "fbf.expected-operations-per-second=10")
                .and(properties)
                .applyTo(context);
        beans.accept(context);
        ConstantsOfTheTest.addTo(context);
        context.register(Transactions.class);
        context.register(FbfAutoConfigurations.classes());
        try {
            context.refresh();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
        counter = context.getBean(Counter.class);
        transaction = newTransaction();
        status = context.getBean(NodeStatus.class);
        guards = context.getBean("fbfGuards", SmartLifecycle.class);
    }

    public static CountingApp start(DataSource dataSource, Path directory, String... properties) {
        return start(directory, properties, context -> addTo(context, dataSource));
    }

    /** One with beans of the test's own beside, or instead of, the usual ones. */
    public static CountingApp start(
            Path directory, String[] properties, Consumer<AnnotationConfigApplicationContext> beans) {
        return new CountingApp(directory, properties, beans);
    }

    /** The usual beans. */
    public static void addTo(AnnotationConfigApplicationContext context, DataSource dataSource) {
        context.registerBean("dataSource", DataSource.class, () -> dataSource);
        context.registerBean(
                "transactions", PlatformTransactionManager.class, () -> new JdbcTransactionManager(dataSource));
        context.registerBean(Counter.class, () -> new Counter(dataSource));
    }

    /** One more, to be set as a test needs it. */
    public TransactionTemplate newTransaction() {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    public TransactionTemplate requiresNew() {
        TransactionTemplate requiresNew = newTransaction();
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return requiresNew;
    }

    /** When the transaction of this thread has committed. */
    public static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    /** Leaves a copy of a directory, as a process that dies now would leave it. */
    public static void copy(Path directory, Path copy) {
        try {
            FileSystemUtils.copyRecursively(directory, copy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many claims are held, of all scopes. */
    public int held() {
        return status.all().stream().mapToInt(scope -> scope.claims()).sum();
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    public ApplicationContext context() {
        return context;
    }

    public void publish(Object event) {
        context.publishEvent(event);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {}
}
