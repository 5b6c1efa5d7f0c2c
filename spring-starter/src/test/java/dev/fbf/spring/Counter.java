package dev.fbf.spring;

import dev.fbf.spring.method.CallerOfTheTest;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Counts in the {@link CountedTable}: guarded methods in every kind of transaction, all of one scope. */
public class Counter implements BeanFactoryAware, BeanNameAware {

    /** What a test wants a guarded method to do when it has counted. */
    public interface Action {
        void run() throws Exception;
    }

    /** What its guarded methods have in common. */
    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Counted {

        @AliasFor(annotation = IdempotentIncrement.class)
        String onDuplicate() default "";

        @AliasFor(annotation = IdempotentIncrement.class)
        boolean keyRequired() default true;

        @AliasFor(annotation = IdempotentIncrement.class)
        boolean sqlOnly() default false;
    }

    private final JdbcClient jdbc;

    private BeanFactory beans = new StaticListableBeanFactory();
    private String name = "";

    public Counter(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = beanFactory;
    }

    @Override
    public void setBeanName(String beanName) {
        name = beanName;
    }

    @Counted(onDuplicate = "before")
    public String count(String key) {
        return increment();
    }

    @Counted
    public String countAnd(String key, Action action) throws Exception {
        return increment(action);
    }

    @Counted
    public @Nullable Object countAndReturn(String key, @Nullable Object result) {
        increment();
        return result;
    }

    @Counted(keyRequired = false)
    public void countWithoutKey(@Nullable String key, Runnable then) {
        increment();
        then.run();
    }

    @Counted
    public void countSilently(String key) {
        increment();
    }

    /** Needs no lock but the witness's. */
    @Counted
    public void passAnd(String key, Action action) throws Exception {
        action.run();
    }

    @Counted
    public void pass(String key) {}

    @Counted(onDuplicate = "before", sqlOnly = true)
    public String countInSqlOnly(String key) {
        return increment();
    }

    @Counted(onDuplicate = "runBefore", sqlOnly = true)
    public String runInSqlOnly(String key, Action action) throws Exception {
        action.run();
        return "run";
    }

    @Transactional
    @Counted(onDuplicate = "runBefore", sqlOnly = true)
    public String runTransactionallyInSqlOnly(String key, Action action) throws Exception {
        action.run();
        return "run";
    }

    @Transactional(isolation = Isolation.REPEATABLE_READ)
    @Counted(onDuplicate = "runBefore", sqlOnly = true)
    public String runRepeatablyInSqlOnly(String key, Action action) throws Exception {
        action.run();
        return "run";
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
    private String runBefore(String key, Action action) {
        return "run before: " + key;
    }

    @IdempotentIncrement(waitInProgress = "0s", scope = "counter")
    public String countByHeader() {
        return increment();
    }

    @Transactional
    @Counted(onDuplicate = "before")
    public String countTransactionally(String key) {
        return increment();
    }

    @Transactional
    @Counted
    public String countTransactionallyAnd(String key, Action action) throws Exception {
        return increment(action);
    }

    /** Calls a guarded method in a new transaction. */
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String countInNewTransaction(String key) {
        return guarded().count(key);
    }

    /** Calls a guarded method after a savepoint. */
    @Transactional(propagation = Propagation.NESTED)
    public String countNestedAnd(String key, Action action) throws Exception {
        return guarded().countAnd(key, action);
    }

    private Counter guarded() {
        return (Counter) beans.getBean(name);
    }

    @SuppressWarnings("UnusedMethod") // called by its name
    private String before(String key) {
        return "counted before: " + key;
    }

    private String increment(Action action) throws Exception {
        String result = increment();
        action.run();
        return result;
    }

    private String increment() {
        jdbc.sql("UPDATE counted SET value = value + 1").update();
        return "counted";
    }
}
