package dev.fbf.loadtest.paper;

import java.util.List;

/** What a chart shows. */
public record Plot(
        String title, String xTitle, boolean xLogarithmic, String yTitle, boolean yLogarithmic, List<Line> lines) {

    /** One whose axis of values is logarithmic. */
    public Plot(String title, String xTitle, boolean xLogarithmic, String yTitle, List<Line> lines) {
        this(title, xTitle, xLogarithmic, yTitle, true, lines);
    }

    /** One line through points; where a rule's line is dashed, it is a model's. */
    public record Line(String name, List<Double> x, List<Double> y, boolean dashed) {}
}
