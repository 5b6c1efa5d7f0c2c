package dev.fbf.spring.jdbc;

import dev.fbf.db.Arbiter;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Asks on the connection of this thread's transaction, or on one of its own. */
record CallersLookup(DataSource dataSource) implements Arbiter.Lookup {

    @Override
    public <T> @Nullable T ask(Arbiter.Question<T> question) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return question.ask(connection);
        } catch (SQLException e) {
            throw GuardedDatabase.translate("look into fbf_ledger", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
