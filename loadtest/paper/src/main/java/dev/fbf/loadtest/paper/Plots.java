package dev.fbf.loadtest.paper;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;

/** Draws plots as PNG. */
public final class Plots {

    private static final int WIDTH = 900;
    private static final int HEIGHT = 480;
    private static final float[] DASHES = {8, 6};

    private Plots() {}

    public static byte[] png(Plot plot) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(plot.title())
                .xAxisTitle(plot.xTitle())
                .yAxisTitle(plot.yTitle())
                .build();
        style(chart, plot);
        for (Plot.Line line : plot.lines()) {
            XYSeries series = chart.addSeries(line.name(), line.x(), line.y());
            series.setLineStyle(
                    line.dashed()
                            ? new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, DASHES, 0)
                            : new BasicStroke(2));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", bytes);
        return bytes.toByteArray();
    }

    private static void style(XYChart chart, Plot plot) {
        chart.getStyler().setXAxisLogarithmic(plot.xLogarithmic());
        chart.getStyler().setYAxisLogarithmic(plot.yLogarithmic());
        chart.getStyler().setMarkerSize(4);
        chart.getStyler().setXAxisMaxLabelCount(12);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setLegendBorderColor(Color.WHITE);
    }
}
