package dev.fbf.loadtest.paper;

import java.util.List;

/** What a chart shows. */
record Plot(String title, Axis x, Axis y, List<Line> lines) {

    record Axis(String title, boolean logarithmic) {}

    /** One line through points; where a rule's line is dashed, it is a model's. */
    record Line(String name, List<Double> x, List<Double> y, boolean dashed) {}
}
