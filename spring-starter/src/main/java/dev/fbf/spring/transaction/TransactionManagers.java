package dev.fbf.spring.transaction;

import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.StartException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/** Transaction managers of the application and its parent contexts, and their data sources. */
record TransactionManagers(ListableBeanFactory beans) {

    private static final boolean ORM = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", TransactionManagers.class.getClassLoader());

    /** Spring Boot defines no manager for a data source beside another manager, such as a message broker's. */
    private static final String REMEDY =
            "Name the one of the counters' data source: @IdempotentIncrement(transactionManager = \"…\"),"
                    + " IdempotentOperations.builder(…).transactionManager(\"…\") or"
                    + " SqlCounters.Builder.transactionManager(\"…\"). If there is none, declare it: @Bean"
                    + " JdbcTransactionManager transactionManager(DataSource dataSource) { return new"
                    + " JdbcTransactionManager(dataSource); } A JpaTransactionManager gets its data source from an entity"
                    + " manager factory with a data source, or from setDataSource.";

    /**
     * Finds the named manager; without a name the only or primary one, or else the only one with a data source.
     *
     * @throws StartException if no manager is the only or primary one, or the only one with a data source
     * @throws NoSuchBeanDefinitionException if there is no manager of that name
     */
    PlatformTransactionManager of(OperationSettings settings) {
        String qualifier = settings.transactionManager();
        PlatformTransactionManager found = qualifier.isEmpty()
                ? beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique()
                : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, PlatformTransactionManager.class, qualifier);
        if (found != null) {
            return found;
        }
        // others may exist, for example a message broker's
        List<PlatformTransactionManager> candidates = all().values().stream()
                .filter(manager -> dataSourceOf(manager) != null)
                .toList();
        if (candidates.size() != 1) {
            throw unusable(
                    settings, "no transaction manager is the only or primary one, or the only one with a data source");
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
            throw unusable(
                    settings,
                    "the data source of the transaction manager " + name
                            + " is not known, so its transactions cannot be guarded");
        }
        return dataSource;
    }

    /** Returns the data source that the manager exposes; null if it has none, or does not expose it. */
    static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return dataSource;
        }
        if (ORM && manager instanceof JpaTransactionManager jpa) {
            return jpa.getDataSource();
        }
        return ORM && manager instanceof HibernateTransactionManager hibernate ? hibernate.getDataSource() : null;
    }

    /** Returns the manager's bean name. */
    String nameOf(PlatformTransactionManager manager) {
        return all().entrySet().stream()
                .filter(bean -> bean.getValue() == manager)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private Map<String, PlatformTransactionManager> all() {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class, true, false);
    }

    /** Creates the exception for managers that cannot be used, with all of them, such as: orders, kafka without a known data source. */
    private StartException unusable(OperationSettings settings, String what) {
        String described = all().entrySet().stream()
                .map(manager -> manager.getKey()
                        + (dataSourceOf(manager.getValue()) == null ? " without a known data source" : ""))
                .collect(Collectors.joining(", "));
        return new StartException(settings, what + ". There are: " + described + ".", REMEDY);
    }
}
