package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.spring.FbfAutoConfigurations;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** With fbf.enabled=false only counters in {@code fbf_counter} need tables of fbf. */
class DisabledWithoutTablesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
            .withConfiguration(FbfAutoConfigurations.all())
            .withPropertyValues("fbf.enabled=false");

    @Test
    void aDatabaseThatFbfDoesNotKnowAppliesEachCallInATransaction() {
        runner.withBean(DataSource.class, () -> new OtherProduct(newDatabase()))
                .withUserConfiguration(Application.class)
                .run(context -> {
                    Visits visits = context.getBean(Visits.class);
                    visits.add("key");
                    visits.add("key");
                    assertThatIllegalStateException().isThrownBy(() -> visits.addAndFail("key"));
                    context.getBean(IdempotentOperations.class)
                            .scope("visits")
                            .execute(IdempotencyKey.of("key"), () -> visits.insert());

                    assertThat(rows(context.getBean(JdbcClient.class), "visit")).isEqualTo(3);
                });
    }

    private static long rows(JdbcClient jdbc, String from) {
        return jdbc.sql("SELECT count(*) FROM " + from).query(Long.class).single();
    }

    private static DataSource newDatabase() {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:;INIT=CREATE TABLE visit (id int AUTO_INCREMENT)");
        return new SingleConnectionDataSource(connection(database), true);
    }

    private static Connection connection(DataSource database) {
        try {
            return database.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** H2 as a database of another product. */
    private static final class OtherProduct extends DelegatingDataSource {

        OtherProduct(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = Mockito.spy(super.getConnection());
            DatabaseMetaData named = Mockito.spy(connection.getMetaData());
            Mockito.doReturn("Other").when(named).getDatabaseProductName();
            Mockito.doReturn(named).when(connection).getMetaData();
            return connection;
        }
    }

    static class Visits {

        private final JdbcClient jdbc;

        Visits(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @IdempotentIncrement(scope = "visits", key = "#key")
        void add(String key) {
            insert();
        }

        @IdempotentIncrement(scope = "visits", key = "#key")
        void addAndFail(String key) {
            insert();
            throw new IllegalStateException(key);
        }

        void insert() {
            jdbc.sql("INSERT INTO visit VALUES (DEFAULT)").update();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        JdbcClient jdbc(DataSource dataSource) {
            return JdbcClient.create(dataSource);
        }

        @Bean
        Visits visits(JdbcClient jdbc) {
            return new Visits(jdbc);
        }
    }
}
