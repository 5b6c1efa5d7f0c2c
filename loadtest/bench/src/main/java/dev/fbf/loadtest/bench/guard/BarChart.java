package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.List;

/** Bars from left to right, in panels below each other, as SVG. */
final class BarChart {

    private static final int NAMES = 150;
    private static final int LONGEST = 480;
    private static final int WIDTH = NAMES + LONGEST + 110;
    private static final int ROW = 20;
    private static final int HEADING = 34;

    private static final String FRAME = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
            <rect width="%1$d" height="%2$d" fill="white"/>
            <text x="10" y="24" font-size="15" font-weight="bold">%3$s</text>
            %4$s</svg>
            """;

    private static final String BAR = """
            <text x="%d" y="%d" text-anchor="end">%s</text>
            <rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
            <path d="M%.1f %d H%.1f" stroke="black"/>
            <text x="%.1f" y="%d">%.2f</text>
            """;

    private final String title;
    private final StringBuilder panels = new StringBuilder();
    private int height = HEADING;

    BarChart(String title) {
        this.title = title;
    }

    /** A bar, with a whisker from the lowest to the highest value. */
    record Bar(String name, double value, double lowest, double highest, String colour) {}

    /** Each panel has a scale of its own. */
    void add(String panel, List<Bar> bars) {
        double longest = bars.stream()
                .mapToDouble(bar -> Math.max(bar.value, bar.highest))
                .max()
                .orElseThrow();
        double scale = LONGEST / longest;
        panels.append(format("<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>\n", height + 24, escaped(panel)));
        height += HEADING;
        for (Bar bar : bars) {
            panels.append(format(
                    BAR,
                    NAMES - 8,
                    height + 12,
                    escaped(bar.name),
                    NAMES,
                    height,
                    bar.value * scale,
                    ROW - 5,
                    bar.colour,
                    NAMES + bar.lowest * scale,
                    height + ROW / 2 - 3,
                    NAMES + bar.highest * scale,
                    NAMES + Math.max(bar.value, bar.highest) * scale + 6,
                    height + 12,
                    bar.value));
            height += ROW;
        }
    }

    String svg() {
        return format(FRAME, WIDTH, height + ROW, escaped(title), panels);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
