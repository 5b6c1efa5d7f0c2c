package dev.fbf.spring;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Another process with a main class of these tests. */
public final class ChildJvm {

    private ChildJvm() {}

    public static String wholeClasspath() {
        return System.getProperty("java.class.path");
    }

    /** The classpath of these tests without some of its jars. */
    public static String classpathWithout(Predicate<String> jar) {
        return Arrays.stream(wholeClasspath().split(File.pathSeparator))
                .filter(entry -> !jar.test(Path.of(entry).getFileName().toString()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The JVM's options that deny what JDKs to come will deny: none on a JDK that does not have them yet. */
    public static List<String> strict() {
        return Runtime.version().feature() < 24
                ? List.of()
                : List.of("--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny");
    }

    /**
     * Prepares one.
     *
     * @param options of the JVM
     */
    public static ProcessBuilder of(List<String> options, String classpath, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classpath, main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
