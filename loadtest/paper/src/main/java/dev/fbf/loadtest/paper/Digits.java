package dev.fbf.loadtest.paper;

import java.util.Locale;

/** Numbers as the page shows them: few digits, the same on every machine. */
final class Digits {

    private Digits() {}

    /** Two significant digits below 0.1, else two decimals; none from 10 on. */
    static String small(double value) {
        return format(pattern(value), value).replaceAll("e([+-])0", "e$1");
    }

    /** The deviation as the mean. */
    static String small(Spread spread) {
        return format(pattern(spread.mean()) + " ± " + pattern(spread.mean()), spread.mean(), spread.deviation())
                .replaceAll("e([+-])0", "e$1");
    }

    private static String pattern(double value) {
        double size = Math.abs(value);
        return size == 0 ? "%.0f" : size < 0.1 ? "%.1e" : size < 10 ? "%.2f" : "%,.0f";
    }

    static String percent(double share) {
        return format(Math.abs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100);
    }

    static String percent(Spread share) {
        return format("%.1f ± %.1f %%", share.mean() * 100, share.deviation() * 100);
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
