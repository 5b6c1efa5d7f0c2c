package dev.fbf.loadtest.network;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * How bad a network is.
 *
 * @param loss the share of responses that it loses
 * @param delay how long it delays a request, and a response, on average; see {@link
 *     dev.fbf.loadtest.harness.proxy.TcpProxy#delayEachChunkAtRandom}
 */
record Network(double loss, Duration delay) {

    /** All combinations, the delays of one loss one after the other. */
    static List<Network> grid(List<Double> losses, List<Duration> delays) {
        return losses.stream()
                .flatMap(loss -> delays.stream().map(delay -> new Network(loss, delay)))
                .toList();
    }

    /** The page whose views are counted over this network. */
    String page() {
        return String.format(Locale.ROOT, "loss-%.4f-delay-%d", loss, delay.toMillis());
    }
}
