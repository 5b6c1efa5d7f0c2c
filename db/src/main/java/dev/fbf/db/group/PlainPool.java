package dev.fbf.db.group;

import java.util.Set;
import javax.sql.DataSource;

/** Recognition of Spring Boot's connection pools, which give the same connections to all threads. */
public final class PlainPool {

    /*
     * Compares the exact class: a subclass, a proxy or a routing data source may choose a connection by the caller's tenant or transaction,
     * and some of these claim to be wrappers of a pool.
     */
    private static final Set<String> CLASSES = Set.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.tomcat.jdbc.pool.DataSource",
            "org.apache.commons.dbcp2.BasicDataSource",
            "oracle.ucp.jdbc.PoolDataSourceImpl");

    private PlainPool() {}

    public static boolean is(DataSource dataSource) {
        return CLASSES.contains(dataSource.getClass().getName());
    }
}
