package dev.fbf.loadtest.jcstress;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;

/** Runs all stress tests. Fails if a test failed, or, where it is strict, if a weakened variant did not. */
public final class Stress implements Run {

    @Override
    public Findings run(Settings settings) throws Exception {
        List<String> arguments = arguments(settings);
        Options options = new Options(arguments.toArray(String[]::new));
        if (!options.parse()) {
            throw new IllegalStateException("jcstress does not take the options " + arguments);
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
        StressReport report = StressReport.of(results.getTestResults(), settings.flag("strict"));
        return new Findings(report, report.table(), List.of(), report.failures(), Map.of());
    }

    private static List<String> arguments(Settings settings) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-r", settings.results().resolve("jcstress").toString(),
                "-t", settings.text("tests"),
                "-f", settings.text("forks"),
                "-fsm", "1",
                "-iters", settings.text("iterations"),
                "-time", settings.text("millis")));
        String jvm = settings.text("jvm");
        if (!jvm.equals("every")) {
            arguments.addAll(List.of("-sc", "false", "-jvmArgs", jvm));
        }
        return arguments;
    }
}
