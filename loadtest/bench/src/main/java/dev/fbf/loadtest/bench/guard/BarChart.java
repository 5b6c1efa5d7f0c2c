package dev.fbf.loadtest.bench.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Bars from left to right, in panels below each other, as SVG. */
final class BarChart {

    private static final int NAMES = 150;
    private static final int LONGEST = 480;
    private static final int WIDTH = NAMES + LONGEST + 110;
    private static final int ROW = 20;
    private static final int HEADING = 34;

    private final String title;
    private final List<Panel> panels = new ArrayList<>();

    BarChart(String title) {
        this.title = title;
    }

    /**
     * A bar.
     *
     * @param name what it stands for
     * @param value its length
     * @param lowest where its whisker begins
     * @param highest where its whisker ends
     * @param colour as in CSS
     */
    record Bar(String name, double value, double lowest, double highest, String colour) {}

    private record Panel(String title, List<Bar> bars) {

        int height() {
            return HEADING + bars.size() * ROW;
        }
    }

    /** Each panel has a scale of its own. */
    void add(String panel, List<Bar> bars) {
        panels.add(new Panel(panel, bars));
    }

    String svg() {
        int height = HEADING + panels.stream().mapToInt(Panel::height).sum() + ROW;
        StringBuilder svg = new StringBuilder();
        line(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                height);
        line(svg, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, height);
        line(svg, "<text x=\"10\" y=\"24\" font-size=\"15\" font-weight=\"bold\">%s</text>", escaped(title));
        int top = HEADING;
        for (Panel panel : panels) {
            append(svg, panel, top);
            top += panel.height();
        }
        line(svg, "</svg>");
        return svg.toString();
    }

    private static void append(StringBuilder svg, Panel panel, int top) {
        double scale = LONGEST
                / panel.bars.stream()
                        .mapToDouble(bar -> Math.max(bar.value, bar.highest))
                        .max()
                        .orElseThrow();
        line(svg, "<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>", top + 24, escaped(panel.title));
        int y = top + HEADING;
        for (Bar bar : panel.bars) {
            line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", NAMES - 8, y + 12, escaped(bar.name));
            line(
                    svg,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                    NAMES,
                    y,
                    bar.value * scale,
                    ROW - 5,
                    bar.colour);
            line(
                    svg,
                    "<path d=\"M%.1f %d H%.1f\" stroke=\"black\"/>",
                    NAMES + bar.lowest * scale,
                    y + ROW / 2 - 3,
                    NAMES + bar.highest * scale);
            line(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\">%.2f</text>",
                    NAMES + Math.max(bar.value, bar.highest) * scale + 6,
                    y + 12,
                    bar.value);
            y += ROW;
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static void line(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
