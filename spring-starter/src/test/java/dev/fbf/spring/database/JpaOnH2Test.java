package dev.fbf.spring.database;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

class JpaOnH2Test extends JpaContract {

    @Override
    DataSource open() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setUrl("jdbc:h2:mem:jpa;DB_CLOSE_DELAY=-1");
        return dataSource;
    }
}
