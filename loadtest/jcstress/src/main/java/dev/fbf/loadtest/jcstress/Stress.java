package dev.fbf.loadtest.jcstress;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import tools.jackson.databind.json.JsonMapper;

/** Runs all stress tests, writes the JSON, and prints the table last. */
public final class Stress {

    private Stress() {}

    /** Exits with 1 if a test failed, or, where it is strict, if a weakened variant did not. */
    public static void main(String[] args) throws Exception {
        Path json = Path.of(System.getProperty("jcstress.result", "target/results/jcstress.json"))
                .toAbsolutePath();
        Files.createDirectories(json.getParent());
        Options options = new Options(arguments(json.resolveSibling("jcstress")).toArray(String[]::new));
        if (!options.parse()) {
            throw new IllegalStateException("jcstress does not take the options " + arguments(json));
        }
        try {
            new JCStress(options).run();
        } catch (AssertionError e) {
            System.err.println(e.getMessage()); // the report below has it, too
        }
        InProcessCollector results = new InProcessCollector();
        DiskReadCollector file = new DiskReadCollector(options.getResultFile(), results);
        file.dump();
        file.close();
        StressReport report = StressReport.of(results.getTestResults(), Boolean.getBoolean("jcstress.strict"));
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
        System.exit(report.passed() ? 0 : 1);
    }

    private static List<String> arguments(Path reports) {
        List<String> arguments = new ArrayList<>(List.of(
                "-r", reports.toString(),
                "-t", System.getProperty("jcstress.tests", ".*"),
                "-f", System.getProperty("jcstress.forks", "1"),
                "-fsm", "1",
                "-iters", System.getProperty("jcstress.iterations", "1"),
                "-time", System.getProperty("jcstress.millis", "250")));
        String jvm = System.getProperty("jcstress.jvm", "every");
        if (!jvm.equals("every")) {
            arguments.addAll(List.of("-sc", "false", "-jvmArgs", jvm));
        }
        return arguments;
    }
}
