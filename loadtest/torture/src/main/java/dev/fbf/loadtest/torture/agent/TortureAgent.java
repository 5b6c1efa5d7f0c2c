package dev.fbf.loadtest.torture.agent;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import dev.fbf.loadtest.torture.agent.Sabotage.Broken;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * The agent's entry. The product has no switch for any of this: its methods are instrumented as they are loaded.
 *
 * <p>{@code -Dtorture.step.file} names the file with the {@link Step} at which to die; {@code -Dtorture.broken} names
 * what is {@link Broken}, if anything; {@code -Dtorture.file.point} the {@linkplain FilePoints moment} at which to die.
 */
public final class TortureAgent {

    private TortureAgent() {}

    /**
     * The JVM's options that start it.
     *
     * @param directory where a jar is made for the JVM to find the agent by: its classes are on the class path
     * @param broken what is broken; empty if nothing is
     */
    public static List<String> options(Path directory, String broken) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", TortureAgent.class.getName());
        Path jar = directory.resolve("torture-agent.jar");
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
        return List.of("-javaagent:" + jar, "-Dtorture.broken=" + broken);
    }

    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        AgentBuilder builder = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly());
        builder = AppliedGroup.watch(builder);
        String file = System.getProperty("torture.step.file");
        if (file != null) {
            for (Step step : Step.values()) {
                builder = at(step, builder);
            }
            Steps.watch(Path.of(file));
        }
        String broken = System.getProperty("torture.broken", "");
        if (!broken.isEmpty()) {
            builder = Sabotage.of(Broken.valueOf(broken), builder);
        }
        FilePoints.watch(builder).installOn(instrumentation);
    }

    private static AgentBuilder at(Step step, AgentBuilder builder) {
        Class<?> advice = step.onEntry() ? OnEntry.class : OnExit.class;
        return builder.type(namedOneOf(step.types()))
                .transform((type, description, loader, module, domain) -> type.visit(Advice.withCustomMapping()
                        .bind(At.class, step)
                        .to(advice)
                        .on(named(step.method()))));
    }

    /** Stands in an advice for the step whose advice it is. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface At {}

    static final class OnEntry {
        @Advice.OnMethodEnter
        static void enter(@At Step step) {
            Steps.reached(step);
        }
    }

    static final class OnExit {
        @Advice.OnMethodExit
        static void exit(@At Step step) {
            Steps.reached(step);
        }
    }
}
