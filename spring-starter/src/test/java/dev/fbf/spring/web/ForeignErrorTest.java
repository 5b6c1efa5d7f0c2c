package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** An error that is not fbf's, thrown while the ledger is asked: a driver's defect, or a file that another library has mapped. */
@GuardedApp(modes = Mode.LEDGER, beans = WaysToCount.class, properties = HttpApp.SILENT_FAILURES)
class ForeignErrorTest extends HttpAppTest {

    private static final List<String> PATHS = List.of(
            "/own", "/transactional", "/sql-only", "/outer", "/scope", "/batch", "/counter", "/annotated-counter");

    private final DataSource database = Objects.requireNonNull(dataSource.getTargetDataSource());
    private final ErringDataSource erring = new ErringDataSource(database);

    @BeforeEach
    void wrap() {
        dataSource.setTargetDataSource(erring);
    }

    @AfterEach
    void unwrap() {
        dataSource.setTargetDataSource(database);
    }

    @ParameterizedTest
    @FieldSource("PATHS")
    void duringANewOperationStopsNoOtherOne(String path) throws Exception {
        erring.next.set(true);
        post(path);
        assertThat(erring.next).isFalse();

        assertServed(post(path));
        assertServed(post(path));
        assertThat(total()).isEqualTo(1);
        assertOthersAreApplied();
    }

    @ParameterizedTest
    @FieldSource("PATHS")
    void duringARetryStopsNoOtherOperation(String path) throws Exception {
        assertServed(post(path));
        erring.next.set(true);
        post(path);
        assertThat(erring.next).isFalse();

        assertServed(post(path));
        assertThat(total()).isEqualTo(1);
        assertOthersAreApplied();
    }

    private void assertOthersAreApplied() throws Exception {
        for (String path : PATHS) {
            assertServed(app.post(path, "Idempotency-Key", key + path));
        }
    }

    private static void assertServed(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 204);
    }

    private long total() {
        return counted.value() + app.bean(SqlCounters.class).value(key).orElse(0);
    }

    /** Throws an error where a statement about the ledger is prepared, once. */
    private static final class ErringDataSource extends DelegatingDataSource {

        private final AtomicBoolean next = new AtomicBoolean();

        ErringDataSource(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    ErringDataSource.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (arguments != null
                                && arguments[0] instanceof String sql
                                && sql.contains("fbf_ledger")
                                && next.getAndSet(false)) {
                            throw new InternalError("a fault occurred in an unsafe memory access operation");
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
