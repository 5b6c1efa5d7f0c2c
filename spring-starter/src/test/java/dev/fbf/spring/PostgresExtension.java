package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One real PostgreSQL for all test classes that ask for a {@link DataSource}; stopped at the end of the run. */
final class PostgresExtension implements ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create("postgres");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DataSource.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Server.class, key -> Server.start(), Server.class)
                .postgres
                .getPostgresDatabase();
    }

    private record Server(EmbeddedPostgres postgres) implements AutoCloseable {

        static Server start() {
            try {
                return new Server(EmbeddedPostgres.start());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            postgres.close();
        }
    }
}
