package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.guard.Chart.Axis;
import dev.fbf.loadtest.bench.guard.Chart.Dot;
import dev.fbf.loadtest.bench.guard.Chart.Line;
import dev.fbf.loadtest.bench.guard.Chart.Point;
import java.io.StringReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartTest {

    @ParameterizedTest
    @CsvSource({
        "'800,2400',    false, '0,500,1k,1.5k,2k,2.5k'",
        "'5000,7000',   false, '0,2k,4k,6k,8k'",
        "'14,28',       false, '0,5,10,15,20,25,30'",
        "'0.3,18',      true,  '0.2,0.5,1,2,5,10,20'",
        "'854,36000',   true,  '500,1k,2k,5k,10k,20k,50k'",
        "'0.5,400',     true,  '0.5,1,10,100,500'",
        "'2948,615505', true,  '2k,10k,100k,1M'",
        "'10,1000000',  true,  '10,100,1k,10k,100k,1M'"
    })
    void ticksAreRoundAndAnAxisIsLogarithmicWhereItsValuesSpanADecade(
            String values, boolean logarithmic, String ticks) {
        Axis axis = Axis.of(Arrays.stream(values.split(","))
                .mapToDouble(Double::parseDouble)
                .toArray());

        assertThat(axis.logarithmic()).isEqualTo(logarithmic);
        assertThat(String.join(",", axis.ticks().stream().map(Axis::label).toList()))
                .isEqualTo(ticks);
    }

    @ParameterizedTest
    @CsvSource({"true, 10, 100", "false, 2, 3"})
    void equalFactorsAreEqualStepsOfALogarithmicAxisAndEqualDifferencesOfAnother(
            boolean logarithmic, double second, double third) throws Exception {
        Chart chart = new Chart("title");
        List<Point> points = List.of(new Point(1, "1", 4), new Point(second, "2", 5), new Point(third, "3", 10));
        chart.lines("panel", "axis", logarithmic, List.of(new Line("line", "red", points)));
        List<Double> xs = attributes(svg(chart), "cx");

        assertThat(xs.get(1) - xs.get(0)).isEqualTo(xs.get(2) - xs.get(1));
    }

    @Test
    void aLineIsAsHighAsItsValuesAndHasItsName() throws Exception {
        Chart chart = new Chart("title");
        chart.lines(
                "panel",
                "axis",
                false,
                List.of(
                        new Line("low & <flat>", "red", List.of(new Point(1, "first", 0), new Point(2, "second", 5))),
                        new Line("high", "blue", List.of(new Point(2, "second", 10)))));
        Document svg = svg(chart);
        List<Double> ys = attributes(svg, "cy");

        assertThat(ys.get(0) - ys.get(1)).isEqualTo(ys.get(1) - ys.get(2)).isPositive();
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("title", "axis", "panel", "low & <flat>", "high", "first", "second", "10");
    }

    @Test
    void dotsOfAllPanelsAreOnOneScaleAndTheWhiskersFit() throws Exception {
        Map<String, List<Dot>> panels = new LinkedHashMap<>();
        panels.put("first", List.of(new Dot("short", "red", 1, 1, 1), new Dot("long", "red", 4, 3, 5)));
        panels.put("second", List.of(new Dot("lone", "red", 4, 0, 5)));
        Chart chart = new Chart("one & <two>");
        chart.dots(panels);
        Document svg = svg(chart);
        List<Double> xs = attributes(svg, "cx");

        assertThat(xs.get(1)).isEqualTo(xs.get(2)).isGreaterThan(xs.get(0));
        assertThat(chart.svg()).containsPattern("M150\\.0 [0-9.]+ H620\\.0");
        assertThat(svg.getDocumentElement().getTextContent()).contains("one & <two>", "first", "long", "4.00", "1.00");
    }

    private static Document svg(Chart chart) throws Exception {
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
