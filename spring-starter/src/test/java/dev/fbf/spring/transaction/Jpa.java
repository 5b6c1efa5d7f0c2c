package dev.fbf.spring.transaction;

import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** JPA on a data source, with its transaction manager. */
final class Jpa {

    private Jpa() {}

    /** Adds both to an application. */
    static void addTo(AnnotationConfigApplicationContext context, DataSource dataSource, Class<?>... entities) {
        context.registerBean(LocalContainerEntityManagerFactoryBean.class, () -> entities(dataSource, entities));
        context.registerBean(
                "transactions",
                PlatformTransactionManager.class,
                () -> new JpaTransactionManager(context.getBean(EntityManagerFactory.class)));
    }

    static LocalContainerEntityManagerFactoryBean entities(DataSource dataSource, Class<?>... entities) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(dataSource);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(PersistenceManagedTypes.of(
                Arrays.stream(entities).map(Class::getName).toList(), List.of()));
        return factory;
    }
}
