package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lines over a common axis, in panels below each other, as SVG. */
final class LineChart {

    private static final int LEFT = 80;
    private static final int WIDE = 460;
    private static final int NAMES = 20;
    private static final int WIDTH = LEFT + WIDE + 200;
    private static final int HIGH = 180;
    private static final int HEADING = 40;
    private static final int AXIS = 50;
    private static final int PANEL = HEADING + HIGH + AXIS;
    private static final int TITLE = 30;
    private static final int GRID = 4;

    private static final String FRAME = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
            <rect width="%1$d" height="%2$d" fill="white"/>
            <text x="10" y="22" font-size="15" font-weight="bold">%3$s</text>
            %4$s</svg>
            """;

    private final String title;
    private final String axis;
    private final boolean logarithmic;
    private final StringBuilder panels = new StringBuilder();
    private int height = TITLE;

    /** @param logarithmic of the axis that goes right */
    LineChart(String title, String axis, boolean logarithmic) {
        this.title = title;
        this.axis = axis;
        this.logarithmic = logarithmic;
    }

    /** A line through its points, from left to right. */
    record Line(String name, String colour, List<Point> points) {}

    /** A point; the label is below it, at the axis. */
    record Point(double x, String label, double y) {}

    /** Adds a panel whose own scale begins at 0. */
    void add(String panel, List<Line> lines) {
        Map<Double, String> labels = new TreeMap<>();
        lines.forEach(line -> line.points.forEach(point -> labels.put(point.x, point.label)));
        double most = lines.stream()
                .flatMap(line -> line.points.stream())
                .mapToDouble(Point::y)
                .max()
                .orElseThrow();
        double first = place(labels.keySet().stream().findFirst().orElseThrow());
        double last = labels.keySet().stream().mapToDouble(this::place).max().orElseThrow();
        double scale = last == first ? 0 : WIDE / (last - first);
        int bottom = height + HEADING + HIGH;
        panels.append(format("<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>\n", height + 24, escaped(panel)));
        for (int step = 0; step <= GRID; step++) {
            int y = bottom - HIGH * step / GRID;
            panels.append(format(
                    "<path d=\"M%d %d h%d\" stroke=\"#dddddd\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                    LEFT, y, WIDE, LEFT - 6, y + 4, number(most * step / GRID)));
        }
        labels.forEach((x, label) -> panels.append(format(
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                LEFT + (place(x) - first) * scale, bottom + 18, escaped(label))));
        panels.append(format(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                LEFT + WIDE / 2, bottom + 38, escaped(axis)));
        int name = height + HEADING + 10;
        for (Line line : lines) {
            StringBuilder path = new StringBuilder();
            for (Point point : line.points) {
                double x = LEFT + (place(point.x) - first) * scale;
                double y = bottom - HIGH * point.y / most;
                path.append(format("%s%.1f %.1f", path.isEmpty() ? "M" : " L", x, y));
                panels.append(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, line.colour));
            }
            panels.append(format(
                    "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>"
                            + "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n",
                    path, line.colour, LEFT + WIDE + NAMES, name, line.colour, escaped(line.name)));
            name += 18;
        }
        height += PANEL;
    }

    private double place(double x) {
        return logarithmic ? Math.log(x) : x;
    }

    private static String number(double value) {
        return format(value < 10 && value > 0 ? "%.1f" : "%,.0f", value);
    }

    String svg() {
        return format(FRAME, WIDTH, height, escaped(title), panels);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
