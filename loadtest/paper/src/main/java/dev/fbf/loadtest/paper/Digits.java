package dev.fbf.loadtest.paper;

import java.util.Locale;

/** Numbers as the page shows them: few digits, the same on every machine. */
final class Digits {

    private Digits() {}

    /** Two significant digits below 0.01, else at most three. */
    static String small(double value) {
        if (value == 0) {
            return "0";
        }
        double size = Math.abs(value);
        return size < 0.01 ? format("%.1e", value) : size < 10 ? format("%.2f", value) : format("%,.0f", value);
    }

    static String percent(double share) {
        return format(Math.abs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100);
    }

    static String percent(Spread share) {
        return format("%.0f ± %.0f %%", share.mean() * 100, share.deviation() * 100);
    }

    static String count(double value) {
        return format(value == Math.rint(value) ? "%.0f" : "%.1f", value);
    }

    /** For data files: so few digits that another machine's last bit does not show. */
    static String data(double value) {
        return format("%.4g", value);
    }

    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
