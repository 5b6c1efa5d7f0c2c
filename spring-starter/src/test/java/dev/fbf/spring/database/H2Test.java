package dev.fbf.spring.database;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** H2 in memory. */
class H2Test extends DatabaseContract {

    @Override
    DataSource open() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setUrl("jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    @Override
    void revoke(JdbcClient jdbc) {
        jdbc.sql("ALTER TABLE fbf_ledger RENAME TO lost").update();
    }

    @Override
    void grant(JdbcClient jdbc) {
        jdbc.sql("ALTER TABLE lost RENAME TO fbf_ledger").update();
    }
}
