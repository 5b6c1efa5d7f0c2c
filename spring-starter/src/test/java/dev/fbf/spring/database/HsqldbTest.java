package dev.fbf.spring.database;

import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** HSQLDB in memory, with row locks. */
class HsqldbTest extends DatabaseContract {

    @Override
    DataSource open() {
        JDBCDataSource dataSource = new JDBCDataSource();
        dataSource.setUrl("jdbc:hsqldb:mem:contract;hsqldb.tx=mvcc");
        return dataSource;
    }

    @Override
    boolean refusesToWait() {
        return false;
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
