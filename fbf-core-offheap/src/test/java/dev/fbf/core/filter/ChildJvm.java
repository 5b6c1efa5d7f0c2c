package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Another process with a main class of these tests, and no JVM flag but those of a test. */
public final class ChildJvm {

    private static final int MOST_SECONDS = 60;

    private ChildJvm() {}

    static Process start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    public static Process start(List<String> jvm, Class<?> main, Object... arguments) throws IOException {
        return new ProcessBuilder(command(List.of(), jvm, main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Starts it by a command that takes a command to run, and requires that it ends well. Returns what it printed. */
    public static String run(List<String> by, Class<?> main, Object... arguments) throws Exception {
        return run(by, List.of(), main, arguments);
    }

    /** Starts it with options of the JVM, and requires that it ends well. Returns what it printed. */
    public static String runWith(List<String> jvm, Class<?> main, Object... arguments) throws Exception {
        return run(List.of(), jvm, main, arguments);
    }

    private static String run(List<String> by, List<String> jvm, Class<?> main, Object... arguments) throws Exception {
        Process process = new ProcessBuilder(command(by, jvm, main, arguments))
                .redirectErrorStream(true)
                .start();
        // one that hangs fails instead
        CompletableFuture.delayedExecutor(MOST_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Whether a command can be run here at all. */
    public static boolean canRun(List<String> by) throws InterruptedException {
        try {
            return new ProcessBuilder(Stream.concat(by.stream(), Stream.of("true"))
                                    .toList())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static List<String> command(List<String> by, List<String> jvm, Class<?> main, Object... arguments) {
        return Stream.of(
                        by.stream(),
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        jvm.stream(),
                        Stream.of("-cp", System.getProperty("java.class.path"), main.getName()),
                        Stream.of(arguments).map(Object::toString))
                .flatMap(part -> part)
                .toList();
    }
}
