package dev.fbf.spring;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Pools with few connections. */
public final class Pools {

    private Pools() {}

    public static HikariDataSource of(DataSource dataSource, int connections) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(dataSource);
        pool.setMaximumPoolSize(connections);
        return pool;
    }
}
