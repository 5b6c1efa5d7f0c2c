package dev.fbf.spring;

import java.sql.SQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/** Makes of what a driver throws what Spring's own JDBC support would make of it. */
final class SqlExceptions {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private SqlExceptions() {}

    static DataAccessException translate(String task, SQLException e) {
        DataAccessException translated = TRANSLATOR.translate(task, null, e);
        return translated == null ? new UncategorizedSQLException(task, null, e) : translated;
    }
}
