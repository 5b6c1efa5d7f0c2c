package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTest {

    @Test
    void barsAreAsLongAsTheirValuesInThePanel() throws Exception {
        BarChart chart = new BarChart("one & <two>");
        chart.add("first", List.of(bar("short", 1), bar("long", 4)));
        chart.add("second", List.of(bar("lone", 2)));

        Document svg = parse(chart.svg());

        NodeList bars = svg.getElementsByTagName("rect");
        double whole = width(bars, 2);
        assertThat(width(bars, 1)).isEqualTo(whole / 4);
        assertThat(width(bars, 3)).isEqualTo(whole);
        assertThat(svg.getDocumentElement().getTextContent()).contains("one & <two>", "first", "long", "4.00", "2.00");
    }

    @Test
    void theWhiskerOfAllRoundsFits() throws Exception {
        BarChart chart = new BarChart("title");
        chart.add("panel", List.of(new BarChart.Bar("name", 1, 0.5, 2, "red")));

        Document svg = parse(chart.svg());

        assertThat(width(svg.getElementsByTagName("rect"), 1)).isEqualTo(240);
        assertThat(((Element) svg.getElementsByTagName("path").item(0)).getAttribute("d"))
                .isEqualTo("M270.0 75 H630.0");
    }

    private static BarChart.Bar bar(String name, double value) {
        return new BarChart.Bar(name, value, value, value, "red");
    }

    private static double width(NodeList rectangles, int index) {
        return Double.parseDouble(((Element) rectangles.item(index)).getAttribute("width"));
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
