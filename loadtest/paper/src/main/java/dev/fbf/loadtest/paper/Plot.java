package dev.fbf.loadtest.paper;

import java.util.List;

/** What a chart shows; the axis of its values is logarithmic. */
record Plot(String title, String xTitle, boolean xLogarithmic, String yTitle, List<Line> lines) {

    /** One line through points; where a rule's line is dashed, it is a model's. */
    record Line(String name, List<Double> x, List<Double> y, boolean dashed) {}
}
