package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** A chart as SVG, with round ticks. An axis is logarithmic where its values span a decade, and begins at 0 elsewhere. */
final class Chart {

    private static final int LEFT = 150;
    private static final int WIDE = 470;
    private static final int WIDTH = LEFT + WIDE + 160;
    private static final int HIGH = 180;
    private static final int ROW = 18;
    private static final int HEADING = 30;
    private static final int AXIS = 50;

    private static final String FRAME = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
            <rect width="%1$d" height="%2$d" fill="white"/>
            <text x="10" y="22" font-size="15" font-weight="bold">%3$s</text>
            %4$s</svg>
            """;

    private final String title;
    private final StringBuilder body = new StringBuilder();
    private int height = HEADING;

    Chart(String title) {
        this.title = title;
    }

    /** A line through its points, from left to right. */
    record Line(String name, String colour, List<Point> points) {}

    /** A point of a line; its label is below it, at the axis. */
    record Point(double x, String label, double y) {}

    /** A value with a whisker from the lowest to the highest. */
    record Dot(String name, String colour, double value, double lowest, double highest) {}

    /** An axis from its first tick to its last. */
    record Axis(boolean logarithmic, List<Double> ticks) {

        private static final double[] ROUND = {1, 2, 5};
        private static final int MOST_TICKS = 8;

        static Axis of(double[] values) {
            double least = DoubleStream.of(values).min().orElseThrow();
            double most = DoubleStream.of(values).max().orElseThrow();
            List<Double> ticks = new ArrayList<>();
            if (least > 0 && most / least >= 10) {
                double decade = Math.pow(10, Math.floor(Math.log10(least)));
                for (double power = decade; power < 10 * most; power *= 10) {
                    for (double factor : ROUND) {
                        ticks.add(factor * power);
                    }
                }
                while (ticks.get(1) <= least) {
                    ticks.remove(0);
                }
                while (ticks.get(ticks.size() - 2) >= most) {
                    ticks.remove(ticks.size() - 1);
                }
                if (ticks.size() > MOST_TICKS) {
                    List<Double> ends = List.of(ticks.get(0), ticks.get(ticks.size() - 1));
                    ticks.removeIf(tick -> !ends.contains(tick) && !label(tick).startsWith("1"));
                }
                return new Axis(true, ticks);
            }
            double decade = Math.pow(10, Math.floor(Math.log10(most)));
            double step = DoubleStream.of(decade / 10, decade / 5, decade / 2, decade, 2 * decade)
                    .filter(each -> most / each <= MOST_TICKS - 2)
                    .min()
                    .orElseThrow();
            for (int tick = 0; tick == 0 || ticks.get(tick - 1) < most; tick++) {
                ticks.add(tick * step);
            }
            return new Axis(false, ticks);
        }

        /** Returns the place of a value: 0 at the first tick, 1 at the last. */
        double place(double value) {
            double first = ticks.get(0);
            double last = ticks.get(ticks.size() - 1);
            if (first == last) {
                return 0;
            }
            return logarithmic ? Math.log(value / first) / Math.log(last / first) : (value - first) / (last - first);
        }

        static String label(double tick) {
            if (tick >= 1e6) {
                return label(tick / 1e6) + "M";
            }
            return tick >= 1_000
                    ? label(tick / 1e3) + "k"
                    : format("%.2f", tick).replaceAll("\\.?0+$", "");
        }
    }

    /** Adds a panel of lines over a common axis; equal factors are equal steps of a logarithmic one. */
    void lines(String panel, String axis, boolean logarithmic, List<Line> lines) {
        Map<Double, String> labels = new TreeMap<>();
        lines.forEach(line -> line.points.forEach(point -> labels.put(point.x, point.label)));
        Axis x = new Axis(logarithmic, List.copyOf(labels.keySet()));
        Axis y = Axis.of(lines.stream()
                .flatMap(line -> line.points.stream())
                .mapToDouble(Point::y)
                .toArray());
        heading(panel);
        int bottom = height + HIGH;
        for (double tick : y.ticks) {
            double at = bottom - HIGH * y.place(tick);
            add("<path d=\"M%d %.1f h%d\" stroke=\"#dddddd\"/>\n", LEFT, at, WIDE);
            text(LEFT - 6, at + 4, "end", "black", Axis.label(tick));
        }
        labels.forEach((place, label) -> text(LEFT + WIDE * x.place(place), bottom + 18, "middle", "black", label));
        text(LEFT + WIDE / 2.0, bottom + 38, "middle", "black", axis);
        int name = height + 10;
        for (Line line : lines) {
            StringBuilder path = new StringBuilder();
            for (Point point : line.points) {
                double right = LEFT + WIDE * x.place(point.x);
                double up = bottom - HIGH * y.place(point.y);
                path.append(format("%s%.1f %.1f", path.isEmpty() ? "M" : " L", right, up));
                add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", right, up, line.colour);
            }
            add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", path, line.colour);
            text(LEFT + WIDE + 15, name, "start", line.colour, line.name);
            name += ROW;
        }
        height = bottom + AXIS;
    }

    /** Adds panels of dots, all on one scale. */
    void dots(Map<String, List<Dot>> panels) {
        Axis axis = Axis.of(panels.values().stream()
                .flatMap(List::stream)
                .flatMapToDouble(dot -> DoubleStream.of(dot.value, dot.lowest, dot.highest))
                .toArray());
        panels.forEach((panel, dots) -> {
            heading(panel);
            for (double tick : axis.ticks) {
                double right = LEFT + WIDE * axis.place(tick);
                add("<path d=\"M%.1f %d v%d\" stroke=\"#dddddd\"/>\n", right, height, ROW * dots.size());
                text(right, height + ROW * dots.size() + 14, "middle", "black", Axis.label(tick));
            }
            for (Dot dot : dots) {
                double middle = height + ROW / 2.0;
                double right = LEFT + WIDE * axis.place(dot.value);
                text(LEFT - 8, middle + 4, "end", "black", dot.name);
                add(
                        "<path d=\"M%.1f %.1f H%.1f\" stroke=\"%s\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                        LEFT + WIDE * axis.place(dot.lowest),
                        middle,
                        LEFT + WIDE * axis.place(dot.highest),
                        dot.colour,
                        right,
                        middle,
                        dot.colour);
                text(
                        LEFT + WIDE + 15,
                        middle + 4,
                        "start",
                        "black",
                        format(dot.value < 100 ? "%.2f" : "%,.0f", dot.value));
                height += ROW;
            }
            height += AXIS / 2;
        });
    }

    private void heading(String panel) {
        add("<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>\n", height + 20, escaped(panel));
        height += HEADING;
    }

    private void text(double x, double y, String anchor, String colour, String text) {
        add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
                x, y, anchor, colour, escaped(text));
    }

    private void add(String format, Object... values) {
        body.append(format(format, values));
    }

    String svg() {
        return format(FRAME, WIDTH, height + ROW, escaped(title), body);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
