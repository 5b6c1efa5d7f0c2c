package dev.fbf.spring;

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
@ExtendWith(PostgresExtension.class)
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

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource database, @TempDir Path directory, TestInfo test) {
        CountedTable.makeIn(database);
        dataSource = new FragileDataSource(database);
        GuardedApp guarded = GuardedApp.Modes.of(test.getTestClass().orElseThrow());
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
        app.close();
    }

    @BeforeEach
    void begin() {
        counter = app.counter;
        counted = CountedTable.makeIn(dataSource);
        jdbc = JdbcClient.create(dataSource);
    }
}
