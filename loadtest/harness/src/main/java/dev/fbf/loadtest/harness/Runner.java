package dev.fbf.loadtest.harness;

import java.time.Instant;

/** Where the JVM of a run begins. */
public final class Runner {

    private Runner() {}

    /**
     * Runs, writes the result as JSON, prints it, and ends the JVM: with 1 if the run failed.
     *
     * @param args the run's name and its {@link Length}
     */
    public static void main(String[] args) throws Exception {
        Length length = Length.of(args[1]);
        Settings settings = Settings.load(args[0], length, System.getProperties());
        Run run = Class.forName(settings.className())
                .asSubclass(Run.class)
                .getConstructor()
                .newInstance();
        System.out.printf("%n  %s, %s%n", settings.run(), length);
        settings.values()
                .forEach((name, value) -> System.out.printf("    -D%s%s=%s%n", settings.prefix(), name, value));
        Instant begin = Instant.now();
        Machine machine = Machine.watch(settings.results());
        Run.Findings findings = run.run(settings);
        if (!findings.equals(Run.Findings.NONE)) {
            Result result = Result.of(settings, length, begin, machine.disturbance(), findings);
            result.write(settings.results());
            System.out.print(result.table(findings.table()));
        }
        System.out.flush();
        System.exit(findings.failures().isEmpty() ? 0 : 1);
    }
}
