package dev.fbf.core;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Readable durations for log lines and messages. */
public final class DurationText {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String[] UNITS = {"d", "h", "min", "s"};

    private DurationText() {}

    /** {@return a duration as in {@code 250 ms}, {@code 15.8 s}, {@code 9 min 58 s} or {@code 30 d}} */
    public static String of(Duration time) {
        if (time.isNegative()) {
            return "-" + of(time.negated());
        }
        if (time.toSeconds() == 0) {
            return time.toMillis() + " ms";
        }
        return time.compareTo(MINUTE) < 0 ? seconds(time) + " s" : units(time.plusMillis(500));
    }

    private static String seconds(Duration time) {
        return new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(time.toMillis() / 1e3);
    }

    private static String units(Duration time) {
        long[] parts = {time.toDays(), time.toHoursPart(), time.toMinutesPart(), time.toSecondsPart()};
        return IntStream.range(0, parts.length)
                .filter(i -> parts[i] > 0)
                .mapToObj(i -> parts[i] + " " + UNITS[i])
                .collect(Collectors.joining(" "));
    }
}
