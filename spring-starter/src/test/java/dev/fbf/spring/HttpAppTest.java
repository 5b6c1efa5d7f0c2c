package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests of an {@link HttpApp} that they share: the {@link GuardedApp} of their class. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@ParameterizedClass(name = "{0} mode")
@ArgumentsSource(GuardedApp.Modes.class)
@SuppressWarnings("NullAway.Init") // set before the tests
public abstract class HttpAppTest {

    protected static HttpApp app;

    /** The application's. */
    protected static FragileDataSource dataSource;

    /** What the application has logged at its start. */
    protected static String startLog;

    private static Path directory;
    private static GuardedApp guarded;

    @Parameter
    protected Mode mode;

    /** Another one for each test. */
    protected final String key = UUID.randomUUID().toString();

    protected CountedTable counted;

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource database, @TempDir Path temporary, TestInfo test, CapturedOutput output) {
        dataSource = new FragileDataSource(database);
        directory = temporary;
        guarded = GuardedApp.Modes.of(test.getTestClass().orElseThrow());
        int before = output.getAll().length();
        app = start(mode);
        startLog = output.getAll().substring(before);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

    @BeforeEach
    void begin() {
        counted = CountedTable.makeIn(dataSource);
    }

    /** The next process with the same directory. */
    protected final void restart(String... properties) {
        app.close();
        app = start(mode, properties);
    }

    private static HttpApp start(Mode mode, String... more) {
        String[] properties = Stream.of(new String[] {"fbf.mode=" + mode}, guarded.properties(), more)
                .flatMap(Stream::of)
                .toArray(String[]::new);
        return HttpApp.start(dataSource, directory, List.of(guarded.beans()), properties);
    }

    /** Sends the key of the test, and more headers, each a name and a value. */
    protected final HttpResponse<String> post(String path, String... headers) throws IOException, InterruptedException {
        return post(app, path, headers);
    }

    protected final HttpResponse<String> post(HttpApp node, String path, String... headers)
            throws IOException, InterruptedException {
        return node.post(path, withKey(headers));
    }

    protected final CompletableFuture<HttpResponse<String>> send(String path, String... headers) {
        return app.send(path, withKey(headers));
    }

    private String[] withKey(String... headers) {
        return Stream.concat(Stream.of("Idempotency-Key", key), Stream.of(headers))
                .toArray(String[]::new);
    }

    /** The status, and "replayed" behind it where the response says so. */
    protected static String status(HttpResponse<String> response) {
        boolean replayed = response.headers().firstValue("Idempotent-Replayed").isPresent();
        return response.statusCode() + (replayed ? " replayed" : "");
    }

    /** The status, as above, and the body. */
    protected static String answer(HttpResponse<String> response) {
        return status(response) + ": " + response.body();
    }

    protected static void assertReplayed(HttpResponse<String> retry, HttpResponse<String> first) {
        assertThat(retry.statusCode()).as(retry.body()).isEqualTo(first.statusCode());
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }
}
