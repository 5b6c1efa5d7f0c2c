package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.util.FileSystemUtils;

/** The applications of all classes whose {@link GuardedApp} asks for nothing of its own: one in each mode, each with its database. */
final class SharedApps implements AutoCloseable {

    private final Map<Mode, Started> byMode = new EnumMap<>(Mode.class);

    /** Gives them to the classes, and closes them at the end of the run. */
    static final class Extension implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == SharedApps.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create("apps"))
                    .computeIfAbsent(SharedApps.class, key -> new SharedApps(), SharedApps.class);
        }
    }

    record Started(CountingApp app, FragileDataSource dataSource, Path directory) {}

    Started of(Mode mode, EmbeddedPostgres postgres) {
        return byMode.computeIfAbsent(mode, absent -> start(absent, postgres));
    }

    private static Started start(Mode mode, EmbeddedPostgres postgres) {
        String database = "shared_" + mode.name().toLowerCase(Locale.ROOT);
        FragileDataSource dataSource = new FragileDataSource(PostgresExtension.newDatabase(postgres, database));
        CountedTable.makeIn(dataSource);
        try {
            Path directory = Files.createTempDirectory(database);
            return new Started(CountingApp.start(dataSource, directory, "fbf.mode=" + mode), dataSource, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Started each : byMode.values()) {
            each.app.close();
            FileSystemUtils.deleteRecursively(each.directory.toFile());
        }
    }
}
