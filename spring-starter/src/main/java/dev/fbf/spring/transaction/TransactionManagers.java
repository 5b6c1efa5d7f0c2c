package dev.fbf.spring.transaction;

import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.StartException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/** Transaction managers of the application and its parent contexts, and their data sources. */
final class TransactionManagers {

    private static final boolean ORM = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", TransactionManagers.class.getClassLoader());

    private static final String REMEDY =
            "Name the one of the counters' data source: @IdempotentIncrement(transactionManager = \"…\"),"
                    + " IdempotentOperations.builder(…).transactionManager(\"…\") or"
                    + " SqlCounters.Builder.transactionManager(\"…\").";

    /** Spring Boot defines no manager for a data source beside another manager, such as a message broker's. */
    private static final String DECLARE =
            "Declare one for the data source of the counters, and make it @Primary or name it:"
                    + " @Bean JdbcTransactionManager transactionManager(DataSource dataSource) { return new"
                    + " JdbcTransactionManager(dataSource); }";

    private final ListableBeanFactory beans;

    TransactionManagers(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Finds the named manager; without a name the only or primary one, or else the only one with a data source.
     *
     * @throws StartException if there is no such manager
     */
    PlatformTransactionManager of(OperationSettings settings) {
        String qualifier = settings.transactionManager();
        try {
            return qualifier.isEmpty()
                    ? beans.getBean(PlatformTransactionManager.class)
                    : BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                            beans, PlatformTransactionManager.class, qualifier);
        } catch (NoSuchBeanDefinitionException e) {
            if (qualifier.isEmpty() && e instanceof NoUniqueBeanDefinitionException) {
                return onlyOneOfADataSource(settings);
            }
            throw qualifier.isEmpty()
                    ? new StartException(settings, "the application has no transaction manager.", DECLARE)
                    : new StartException(
                            settings,
                            "transactionManager=" + qualifier + " names no transaction manager. There are: "
                                    + described() + ".",
                            REMEDY);
        }
    }

    /** Returns the only manager with a data source; others may exist, for example a message broker's. */
    private PlatformTransactionManager onlyOneOfADataSource(OperationSettings settings) {
        List<PlatformTransactionManager> candidates = all().values().stream()
                .filter(manager -> dataSourceOf(manager) != null)
                .toList();
        if (candidates.size() != 1) {
            throw new StartException(
                    settings,
                    "the application has several transaction managers, and none of them is primary or the only one with a"
                            + " data source: " + described() + ".",
                    candidates.isEmpty() ? DECLARE : REMEDY);
        }
        return candidates.get(0);
    }

    /**
     * Returns the data source of a manager's transactions.
     *
     * @throws StartException if it is unknown: on another data source, an operation would not be part of the transaction
     */
    DataSource dataSourceOf(PlatformTransactionManager manager, String name, OperationSettings settings) {
        DataSource dataSource = dataSourceOf(manager);
        if (dataSource == null) {
            boolean hasNone = all().values().stream().allMatch(its -> dataSourceOf(its) == null);
            throw new StartException(
                    settings,
                    "the data source of the transaction manager " + name
                            + " is not known, so its transactions cannot be" + " guarded. There are: " + described()
                            + ".",
                    (hasNone ? DECLARE : REMEDY)
                            + " A JpaTransactionManager gets its data source from an entity manager factory with a data source, or"
                            + " from setDataSource.");
        }
        return dataSource;
    }

    /** Returns the data source that the manager exposes; null if it has none, or does not expose it. */
    static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return dataSource;
        }
        return ORM ? Orm.dataSourceOf(manager) : null;
    }

    /** Separate class, loaded only if Spring ORM is present. */
    private static final class Orm {

        static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
            if (manager instanceof JpaTransactionManager jpa) {
                return jpa.getDataSource();
            }
            return manager instanceof HibernateTransactionManager hibernate ? hibernate.getDataSource() : null;
        }
    }

    /** Returns the manager's bean name. */
    String nameOf(PlatformTransactionManager manager) {
        return nameIn(all(), bean -> bean == manager).orElseThrow();
    }

    /**
     * Returns the bean name of the data source, or of the proxy that the manager has unwrapped; the manager's name if neither is a bean.
     */
    String nameOf(DataSource dataSource, String manager) {
        Map<String, DataSource> dataSources = all(DataSource.class);
        return nameIn(dataSources, bean -> bean == dataSource)
                .or(() -> nameIn(
                        dataSources,
                        bean -> bean instanceof TransactionAwareDataSourceProxy proxy
                                && proxy.getTargetDataSource() == dataSource))
                .orElse(manager);
    }

    private static <T> Optional<String> nameIn(Map<String, T> beans, Predicate<T> wanted) {
        return beans.entrySet().stream()
                .filter(bean -> wanted.test(bean.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private Map<String, PlatformTransactionManager> all() {
        return all(PlatformTransactionManager.class);
    }

    /** Returns the beans of a type by their names, except lazy ones that have not been created yet. */
    private <T> Map<String, T> all(Class<T> type) {
        Map<String, T> all = new LinkedHashMap<>();
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)) {
            if (!isAwaited(beans, name)) {
                all.put(name, beans.getBean(name, type));
            }
        }
        return all;
    }

    /** Returns whether a lazy bean has not been created yet. */
    private static boolean isAwaited(@Nullable BeanFactory in, String name) {
        BeanFactory factory = in instanceof ConfigurableApplicationContext context ? context.getBeanFactory() : in;
        if (!(factory instanceof ConfigurableListableBeanFactory beans)) {
            return false;
        }
        return beans.containsBeanDefinition(name)
                ? beans.getBeanDefinition(name).isLazyInit() && !beans.containsSingleton(name)
                : isAwaited(beans.getParentBeanFactory(), name);
    }

    /** Describes the managers, for example: orders of the data source ordersDatabase, kafka without a known data source. */
    private String described() {
        return all().entrySet().stream()
                .map(manager -> {
                    DataSource dataSource = dataSourceOf(manager.getValue());
                    return manager.getKey()
                            + (dataSource == null
                                    ? " without a known data source"
                                    : " of the data source " + nameOf(dataSource, "that is not a bean"));
                })
                .collect(Collectors.joining(", "));
    }
}
