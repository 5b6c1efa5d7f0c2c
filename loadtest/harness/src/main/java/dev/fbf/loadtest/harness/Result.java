package dev.fbf.loadtest.harness;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of a run, as its JSON has it.
 *
 * @param commit of the repository, with {@code -dirty} if files have changed since; {@code unknown} where git does not tell
 * @param environment what it ran on: {@code system}, {@code cores}, {@code jdk}, and its servers
 */
record Result(
        String run,
        String length,
        Instant date,
        String commit,
        Map<String, String> environment,
        Machine.Disturbance machine,
        Map<String, String> settings,
        List<Target> targets,
        List<String> failures,
        Object figures) {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    static Result of(
            Settings settings, Length length, Instant begin, Machine.Disturbance machine, Run.Findings findings)
            throws InterruptedException {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("system", property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        environment.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        environment.put("jdk", property("java.vm.name") + " " + property("java.vm.version"));
        environment.putAll(findings.servers());
        return new Result(
                settings.run(),
                length.toString(),
                begin,
                commit(settings.inRepository("")),
                environment,
                machine,
                settings.values(),
                findings.targets(),
                findings.failures(),
                findings.figures());
    }

    private static String property(String name) {
        return System.getProperty(name, "");
    }

    private static String commit(Path repository) throws InterruptedException {
        try {
            return ChildProcess.output(
                    "git", "-C", repository.toString(), "describe", "--always", "--dirty", "--exclude=*");
        } catch (IOException noGit) {
            return "unknown";
        }
    }

    void write(Path directory) throws IOException {
        Files.writeString(directory.resolve(run + ".json"), MAPPER.writeValueAsString(this));
    }

    /** The run's own table, and behind it what all results have. */
    String table(String own) {
        StringBuilder text = new StringBuilder(own);
        text.append(format("%n  %s, %s, commit %s%n", run, length, commit));
        Map<String, String> others = new LinkedHashMap<>(environment);
        others.remove("cores");
        text.append(format(
                "  %s, %s cores%n  %s%n",
                String.join(", ", others.values()), environment.getOrDefault("cores", ""), machine));
        if (!targets.isEmpty()) {
            text.append('\n')
                    .append(Table.of(targets)
                            .text("target", Target::name)
                            .text("wanted", Target::wanted)
                            .number("measured", "%,.2f", Target::measured)
                            .text("", target -> target.met() ? "met" : "MISSED"));
        }
        if (machine.warning() != null) {
            text.append(format("  WARNING %s%n", machine.warning()));
        }
        failures.forEach(failure -> text.append(format("  FAILED %s%n", failure)));
        return text.toString();
    }
}
