package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTest {

    @Test
    void barsAreAsLongAsTheirValuesInThePanelAndTheWhiskersFit() throws Exception {
        BarChart chart = new BarChart("one & <two>");
        chart.add(
                "first", List.of(new BarChart.Bar("short", 1, 1, 1, "red"), new BarChart.Bar("long", 4, 4, 4, "red")));
        chart.add("second", List.of(new BarChart.Bar("lone", 1, 0.5, 2, "red")));

        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(chart.svg())));

        NodeList rectangles = svg.getElementsByTagName("rect");
        assertThat(IntStream.range(1, 4).mapToObj(i -> ((Element) rectangles.item(i)).getAttribute("width")))
                .containsExactly("120.0", "480.0", "240.0");
        assertThat(((Element) svg.getElementsByTagName("path").item(2)).getAttribute("d"))
                .matches("M270.0 \\d+ H630.0");
        assertThat(svg.getDocumentElement().getTextContent()).contains("one & <two>", "first", "long", "4.00", "1.00");
    }
}
