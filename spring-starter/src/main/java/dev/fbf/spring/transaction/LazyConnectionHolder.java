package dev.fbf.spring.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Has a transaction whose connection is taken from the pool when it is first used: its manager begins it on what is bound
 * to the thread already, and leaves that to the code that has bound it.
 */
final class LazyConnectionHolder extends ConnectionHolder implements AutoCloseable {

    private final DataSource dataSource;
    private final Connection connection;

    private LazyConnectionHolder(DataSource dataSource, Connection connection) {
        super(connection);
        this.dataSource = dataSource;
        this.connection = connection;
    }

    /**
     * Binds one to this thread, which has no transaction.
     *
     * @param dataSource the manager's
     * @param lazy gives connections of it that are not taken yet
     */
    static LazyConnectionHolder bind(DataSource dataSource, DataSource lazy) throws SQLException {
        LazyConnectionHolder holder = new LazyConnectionHolder(dataSource, lazy.getConnection());
        TransactionSynchronizationManager.bindResource(dataSource, holder);
        return holder;
    }

    /** The transaction has ended. */
    @Override
    public void close() {
        TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
        DataSourceUtils.releaseConnection(connection, null);
    }
}
