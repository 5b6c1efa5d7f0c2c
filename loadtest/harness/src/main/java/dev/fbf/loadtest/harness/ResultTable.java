package dev.fbf.loadtest.harness;

import java.util.Locale;

/** Settings and results for people. */
final class ResultTable {

    private ResultTable() {}

    static String of(Settings settings, Length length) {
        StringBuilder text = new StringBuilder(line("%n  %s, %s", settings.run(), length));
        settings.values().forEach((name, value) -> text.append(line("    -D%s%s=%s", settings.prefix(), name, value)));
        return text.toString();
    }

    /**
     * Adds what all results have to a run's own table.
     *
     * @param table the run's own
     */
    static String of(Result result, String table) {
        StringBuilder text = new StringBuilder(table);
        text.append(line("%n  %s, %s, commit %s", result.run(), result.length(), result.commit()));
        text.append(
                line("  %s, %s cores", environment(result), result.environment().getOrDefault("cores", "")));
        text.append(line("  %s", result.machine()));
        if (!result.targets().isEmpty()) {
            text.append(line("%n  %-84s %9s %12s", "target", "wanted", "measured"));
        }
        for (Target target : result.targets()) {
            text.append(line(
                    "  %-84s %9s %,12.2f   %s",
                    target.name(), target.wanted(), target.measured(), target.met() ? "met" : "MISSED"));
        }
        if (result.machine().warning() != null) {
            text.append(line("  WARNING %s", result.machine().warning()));
        }
        result.failures().forEach(failure -> text.append(line("  FAILED %s", failure)));
        return text.toString();
    }

    private static String environment(Result result) {
        StringBuilder text = new StringBuilder();
        result.environment().forEach((name, value) -> {
            if (!name.equals("cores")) {
                text.append(text.isEmpty() ? "" : ", ").append(value);
            }
        });
        return text.toString();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format + "%n", values);
    }
}
