package dev.fbf.db.group;

import java.util.Set;
import javax.sql.DataSource;

/** Data sources whose connections do not depend on the thread that asks for one: the pools that Spring Boot supports. */
public final class PlainPool {

    /*
     * By the very class: a subclass, a proxy or a data source that routes may look at the caller's tenant or transaction, and
     * some of these claim to be wrappers of a pool.
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
