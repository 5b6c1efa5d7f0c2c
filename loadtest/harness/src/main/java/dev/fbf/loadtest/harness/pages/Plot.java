package dev.fbf.loadtest.harness.pages;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot of lines or points over numbers, or over categories at equal distances where {@code x} has text. */
public record Plot(
        String title, String xTitle, boolean xLogarithmic, String yTitle, boolean yLogarithmic, List<Line> lines) {

    private static final int WIDTH = 900;
    private static final int HEIGHT = 480;
    private static final float[] DASHES = {8, 6};

    /** Names of categories that do not fit below their places are turned. */
    private static final int TURNED_FROM = 8;

    static {
        System.setProperty("java.awt.headless", "true");
    }

    /** How a line is drawn. The papers' plots have a dashed line for the model beside a solid one for the measurement. */
    public enum Style {
        SOLID,
        DASHED,
        POINTS
    }

    /** One line through points; a value may be missing where {@code x} has text. */
    public record Line(String name, List<?> x, List<@Nullable Double> y, Style style) {

        public Line(String name, List<Double> x, List<@Nullable Double> y, boolean dashed) {
            this(name, x, y, dashed ? Style.DASHED : Style.SOLID);
        }
    }

    /** A plot whose axis of values is logarithmic. */
    public Plot(String title, String xTitle, boolean xLogarithmic, String yTitle, List<Line> lines) {
        this(title, xTitle, xLogarithmic, yTitle, true, lines);
    }

    /** A plot over categories, whose axis of values is logarithmic where one value is 20 times another, or more. */
    public static Plot overCategories(String title, String xTitle, String yTitle, List<Line> lines) {
        double[] values = lines.stream()
                .flatMap(line -> line.y.stream())
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        boolean logarithmic = values[0] > 0 && values[values.length - 1] >= 20 * values[0];
        return new Plot(title, xTitle, false, yTitle, logarithmic, lines);
    }

    /** Draws plots one below the other, as PNG. */
    public static byte[] png(List<Plot> plots) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<IChart> charts = plots.stream().map(Plot::chart).toList();
        BitmapEncoder.saveBitmap(charts, charts.size(), 1, bytes, BitmapFormat.PNG);
        return bytes.toByteArray();
    }

    private IChart chart() {
        boolean categories = lines.stream().anyMatch(line -> line.x.get(0) instanceof String);
        return categories ? categoryChart() : xyChart();
    }

    private XYChart xyChart() {
        XYChart chart = new XYChart(WIDTH, HEIGHT);
        style(chart, chart.getStyler());
        chart.getStyler()
                .setXAxisLogarithmic(xLogarithmic)
                .setXAxisMaxLabelCount(12)
                .setMarkerSize(4);
        lines.forEach(line -> chart.addSeries(line.name, line.x, line.y).setLineStyle(stroke(line)));
        return chart;
    }

    private CategoryChart categoryChart() {
        CategoryChart chart = new CategoryChart(WIDTH, HEIGHT);
        style(chart, chart.getStyler());
        if (lines.get(0).x.size() > TURNED_FROM) {
            chart.getStyler().setXAxisLabelRotation(45);
        }
        boolean points = lines.get(0).style == Style.POINTS;
        chart.getStyler()
                .setOverlapped(true)
                .setDefaultSeriesRenderStyle(
                        points ? CategorySeriesRenderStyle.Scatter : CategorySeriesRenderStyle.Line)
                .setYAxisDecimalPattern("#,##0.##")
                .setXAxisTickMarkSpacingHint(1) // each category has its name
                .setMarkerSize(points ? 8 : 4);
        for (Line line : lines) {
            chart.addSeries(line.name, line.x, line.y)
                    .setMarker(SeriesMarkers.CIRCLE)
                    .setLineStyle(stroke(line));
        }
        return chart;
    }

    private static BasicStroke stroke(Line line) {
        return line.style == Style.DASHED
                ? new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, DASHES, 0)
                : new BasicStroke(2);
    }

    private void style(AxesChart<?, ?> chart, AxesChartStyler styler) {
        chart.setTitle(title);
        chart.setXAxisTitle(xTitle);
        chart.setYAxisTitle(yTitle);
        styler.setYAxisLogarithmic(yLogarithmic);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
    }
}
