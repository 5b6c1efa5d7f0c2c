package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.pages.Plot.Line;
import dev.fbf.loadtest.harness.pages.Plot.Style;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PlotTest {

    @Test
    void anAxisOfValuesIsLogarithmicWhereOneIsTwentyTimesAnother() {
        assertThat(plot(1, 19).yLogarithmic()).isFalse();
        assertThat(plot(0, 100).yLogarithmic()).isFalse();
        assertThat(plot(1, null, 20).yLogarithmic()).isTrue();
    }

    @Test
    void drawsPlotsOneBelowTheOtherAndLeavesOutWhatIsMissing() throws Exception {
        BufferedImage one = drawn(plot(1, null, 20));
        BufferedImage two = drawn(plot(1, null, 20), plot(1, 20, 3));

        assertThat(two.getHeight()).isEqualTo(2 * one.getHeight());
        assertThat(pixels(two, 0)).isEqualTo(pixels(one, 0)).isNotEqualTo(pixels(two, one.getHeight()));
    }

    private static Plot plot(@Nullable Integer... values) {
        List<String> names = List.of("one", "two", "three").subList(0, values.length);
        List<@Nullable Double> boxed = Arrays.stream(values)
                .map(value -> value == null ? null : value.doubleValue())
                .toList();
        return Plot.overCategories("title", "x", "y", List.of(new Line("line", names, boxed, Style.SOLID)));
    }

    private static BufferedImage drawn(Plot... plots) throws Exception {
        return ImageIO.read(new ByteArrayInputStream(Plot.png(List.of(plots))));
    }

    private static int[] pixels(BufferedImage image, int top) {
        return image.getRGB(0, top, image.getWidth(), 480, null, 0, image.getWidth());
    }
}
