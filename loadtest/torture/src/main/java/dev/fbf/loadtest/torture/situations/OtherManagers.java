package dev.fbf.loadtest.torture.situations;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.IdempotentIncrement;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** Operations of transaction managers beside the primary one. */
class OtherManagers {

    private final JdbcClient sharing;
    private final EntityManager second;

    OtherManagers(JdbcClient sharing, EntityManager second) {
        this.sharing = sharing;
        this.second = second;
    }

    @IdempotentIncrement(scope = Guarded.SCOPE, key = "#call.key", transactionManager = "sharing")
    public void countInSharing(Call call) {
        call.apply(sharing);
    }

    @IdempotentIncrement(scope = "second", key = "#call.key", transactionManager = "second")
    public void countInSecond(Call call) {
        second.createNativeQuery(Call.COUNT).setParameter("page", call.page()).executeUpdate();
        second.createNativeQuery(Call.WRITE_DOWN)
                .setParameter("key", call.key())
                .setParameter("page", call.page())
                .executeUpdate();
    }

    /** Two databases; the first has a pool for each of two managers. */
    @Configuration(proxyBeanMethods = false)
    static class Managers {

        private final String user;

        Managers(@Value("${spring.datasource.username}") String user) {
            this.user = user;
        }

        private HikariDataSource pool(String url, int size) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(url);
            pool.setUsername(user);
            pool.setMaximumPoolSize(size);
            pool.setConnectionTimeout(2_000);
            return pool;
        }

        @Bean
        @Primary
        HikariDataSource firstDatabase(@Value("${spring.datasource.url}") String url) {
            return pool(url, 40);
        }

        @Bean
        HikariDataSource sharingDatabase(@Value("${spring.datasource.url}") String url) {
            return pool(url, 4);
        }

        @Bean
        HikariDataSource secondDatabase(@Value("${torture.second}") String url) {
            return pool(url, 4);
        }

        @Bean
        @Primary
        PlatformTransactionManager first(DataSource firstDatabase) {
            return new JdbcTransactionManager(firstDatabase);
        }

        @Bean
        PlatformTransactionManager sharing(@Qualifier("sharingDatabase") DataSource database) {
            return new JdbcTransactionManager(database);
        }

        @Bean
        LocalContainerEntityManagerFactoryBean secondEntities(@Qualifier("secondDatabase") DataSource database) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(database);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPersistenceUnitName("second");
            factory.setManagedTypes(PersistenceManagedTypes.of(List.of(), List.of()));
            return factory;
        }

        @Bean
        PlatformTransactionManager second(EntityManagerFactory entities) {
            return new JpaTransactionManager(entities);
        }

        @Bean
        OtherManagers otherManagers(@Qualifier("sharingDatabase") DataSource sharing, EntityManagerFactory second) {
            return new OtherManagers(
                    JdbcClient.create(sharing), SharedEntityManagerCreator.createSharedEntityManager(second));
        }
    }
}
