package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of a {@link CountingApp} that they share: the {@link GuardedApp} of their class. */
@ExtendWith({PostgresExtension.class, SharedApps.Extension.class})
@ParameterizedClass(name = "{0} mode")
@ArgumentsSource(GuardedApp.Modes.class)
@SuppressWarnings("NullAway.Init") // set before the tests
public abstract class CountingAppTest {

    protected static CountingApp app;

    /** The application's: tests that use it take part in its transactions. */
    protected static FragileDataSource dataSource;

    @Parameter
    protected Mode mode;

    protected Counter counter;
    protected CountedTable counted;
    protected JdbcClient jdbc;

    private static boolean isShared;

    @BeforeParameterizedClassInvocation
    static void start(
            Mode mode,
            EmbeddedPostgres postgres,
            DataSource database,
            SharedApps shared,
            @TempDir Path directory,
            TestInfo test) {
        GuardedApp guarded = GuardedApp.Modes.of(test.getTestClass().orElseThrow());
        isShared = guarded.beans().length + guarded.properties().length == 0;
        if (isShared) {
            SharedApps.Started started = shared.of(mode, postgres);
            app = started.app();
            dataSource = started.dataSource();
            return;
        }
        CountedTable.makeIn(database);
        dataSource = new FragileDataSource(database);
        String[] properties = Stream.concat(Stream.of("fbf.mode=" + mode), Stream.of(guarded.properties()))
                .toArray(String[]::new);
        app = CountingApp.start(directory, properties, context -> {
            CountingApp.addTo(context, dataSource);
            if (guarded.beans().length > 0) {
                context.register(guarded.beans());
            }
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (!isShared) {
            app.close();
        }
    }

    @BeforeEach
    void begin() {
        counter = app.counter;
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
    }
}
