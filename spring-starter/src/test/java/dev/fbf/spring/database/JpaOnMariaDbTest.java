package dev.fbf.spring.database;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.FragileDataSource.Fate;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.transaction.Jpa;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Entities in MariaDB: what is new is inserted at once, because the database gives it its id, and changes at COMMIT. */
@Timeout(45)
@ExtendWith(MariaDb.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before the tests
class JpaOnMariaDbTest {

    private JdbcClient jdbc;
    private FragileDataSource fragile;
    private HttpApp app;
    private Badges badges;
    private String key;

    private final MariaDb server;

    JpaOnMariaDbTest(MariaDb server) {
        this.server = server;
    }

    private DataSource open() {
        return server.database("mariadb", "jpa");
    }

    @BeforeAll
    void start(@TempDir Path directory) {
        jdbc = JdbcClient.create(open());
        fragile = new FragileDataSource(open());
        app = HttpApp.start(fragile, directory, List.of(Entities.class, Badges.class), "fbf.mode=ledger");
        badges = app.bean(Badges.class);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    @BeforeEach
    void begin() {
        jdbc.sql("DELETE FROM badge").update();
        key = UUID.randomUUID().toString();
    }

    private List<String> names() {
        return jdbc.sql("SELECT name FROM badge ORDER BY name")
                .query(String.class)
                .list();
    }

    @Test
    void anEntityIsInsertedOnceAndChangedOnce() {
        badges.add(key + "gold", "gold");
        badges.add(key + "gold", "gold");
        badges.add(key + "tin", "tin");
        badges.rename(key, "tin", "silver");
        badges.rename(key, "silver", "bronze");

        assertThat(names()).containsExactly("gold", "silver");
    }

    @Test
    void aConstraintThatIsViolatedAtCommitAppliesNothing() {
        badges.add(key + "gold", "gold");
        badges.add(key + "tin", "tin");

        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(() -> badges.rename(key, "tin", "gold"));
        badges.rename(key, "tin", "silver");

        assertThat(names()).containsExactly("gold", "silver");
    }

    @Test
    void aCommitWithoutResponseIsInDoubtAndTheRetryIsNotApplied() {
        badges.add(key + "tin", "tin");
        fragile.breakNextCommit(Fate.UNANSWERED);
        assertUnavailable(() -> badges.rename(key, "tin", "silver"));

        badges.rename(key, "silver", "bronze");

        assertThat(names()).containsExactly("silver");
    }

    @Configuration(proxyBeanMethods = false)
    static class Entities {

        @Bean
        static LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = Jpa.entities(dataSource, Badge.class);
            factory.getJpaPropertyMap().put("hibernate.hbm2ddl.auto", "update");
            return factory;
        }

        @Bean
        static JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    static class Badges {

        private final EntityManager entities;

        Badges(EntityManagerFactory factory) {
            entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @IdempotentIncrement(scope = "badges", key = "#key")
        public void add(String key, String name) {
            entities.persist(new Badge(name));
        }

        @IdempotentIncrement(scope = "badges", key = "#key")
        public void rename(String key, String name, String newName) {
            entities.createQuery("FROM badge WHERE name = :name", Badge.class)
                    .setParameter("name", name)
                    .getSingleResult()
                    .name = newName;
        }
    }

    @Entity(name = "badge")
    @SuppressWarnings("UnusedVariable") // JPA reads them
    static class Badge {

        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        private @Nullable Long id;

        @Column(unique = true)
        private @Nullable String name;

        protected Badge() {}

        Badge(String name) {
            this.name = name;
        }
    }
}
