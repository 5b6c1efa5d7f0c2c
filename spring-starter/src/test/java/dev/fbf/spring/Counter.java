package dev.fbf.spring;

import dev.fbf.spring.method.CallerOfTheTest;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Counts in the {@link CountedTable}: guarded methods in every kind of transaction, all of one scope. */
public class Counter implements BeanFactoryAware, BeanNameAware {

    /** What a test wants a guarded method to do when it has counted. */
    public interface Action {
        void run() throws Exception;
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

    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            onDuplicate = "before")
    public String count(String key) {
        return increment();
    }

    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public String countAnd(String key, Action action) throws Exception {
        return increment(action);
    }

    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public @Nullable Object countAndReturn(String key, @Nullable Object result) {
        increment();
        return result;
    }

    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            keyRequired = false)
    public void countWithoutKey(@Nullable String key, Runnable then) {
        increment();
        then.run();
    }

    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public void countSilently(String key) {
        increment();
    }

    /** Needs no lock but the witness's. */
    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public void passAnd(String key, Action action) throws Exception {
        action.run();
    }

    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public void pass(String key) {}

    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            onDuplicate = "before",
            sqlOnly = true)
    public String countInSqlOnly(String key) {
        return increment();
    }

    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            onDuplicate = "runBefore",
            sqlOnly = true)
    public String runInSqlOnly(String key, Action action) throws Exception {
        action.run();
        return "run";
    }

    @Transactional
    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            onDuplicate = "runBefore",
            sqlOnly = true)
    public String runTransactionallyInSqlOnly(String key, Action action) throws Exception {
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
    @IdempotentIncrement(
            waitInProgress = "0s",
            scope = "counter",
            key = "#key",
            caller = CallerOfTheTest.EXPRESSION,
            onDuplicate = "before")
    public String countTransactionally(String key) {
        return increment();
    }

    @Transactional
    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public String countTransactionallyAnd(String key, Action action) throws Exception {
        return increment(action);
    }

    @Transactional(timeout = 1)
    @IdempotentIncrement(waitInProgress = "0s", scope = "counter", key = "#key", caller = CallerOfTheTest.EXPRESSION)
    public String countWithinASecond(String key, Action action) throws Exception {
        return increment(action);
    }

    /** Calls a guarded method in a new transaction. */
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String countInNewTransaction(String key) {
        return guarded().count(key);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String countInNewTransactionAnd(String key, Action action) throws Exception {
        return guarded().countAnd(key, action);
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
