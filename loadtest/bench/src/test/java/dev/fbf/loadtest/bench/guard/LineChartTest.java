package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.guard.LineChart.Line;
import dev.fbf.loadtest.bench.guard.LineChart.Point;
import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class LineChartTest {

    @Test
    void equalFactorsAreEqualStepsOfALogarithmicAxisAndValuesBeginAtZero() throws Exception {
        List<Double> xs = xs(true, new Point(1, "1", 0), new Point(10, "10", 5), new Point(100, "100", 10));

        assertThat(xs.get(1) - xs.get(0)).isEqualTo(xs.get(2) - xs.get(1));
    }

    @Test
    void equalDifferencesAreEqualStepsOfAnotherAxis() throws Exception {
        List<Double> xs = xs(false, new Point(1, "1", 0), new Point(2, "2", 5), new Point(3, "3", 10));

        assertThat(xs.get(1) - xs.get(0)).isEqualTo(xs.get(2) - xs.get(1));
    }

    @Test
    void aLineIsAsHighAsItsValuesAndHasItsName() throws Exception {
        Document svg = svg(
                false,
                new Line("low & <flat>", "red", List.of(new Point(1, "first", 0), new Point(2, "second", 5))),
                new Line("high", "blue", List.of(new Point(2, "second", 10))));

        List<Double> ys = attributes(svg, "cy");
        assertThat(ys.get(0) - ys.get(1)).isEqualTo(ys.get(1) - ys.get(2)).isPositive();
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("title", "axis", "panel", "low & <flat>", "high", "first", "second", "10", "7.5");
    }

    private static List<Double> xs(boolean logarithmic, Point... points) throws Exception {
        return attributes(svg(logarithmic, new Line("line", "red", List.of(points))), "cx");
    }

    private static Document svg(boolean logarithmic, Line... lines) throws Exception {
        LineChart chart = new LineChart("title", "axis", logarithmic);
        chart.add("panel", List.of(lines));
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(chart.svg())));
    }

    private static List<Double> attributes(Document svg, String name) {
        NodeList circles = svg.getElementsByTagName("circle");
        return IntStream.range(0, circles.getLength())
                .mapToObj(i -> Double.valueOf(((Element) circles.item(i)).getAttribute(name)))
                .toList();
    }
}
