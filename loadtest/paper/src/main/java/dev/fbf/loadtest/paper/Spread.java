package dev.fbf.loadtest.paper;

import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** A number as it came out with several seeds. */
record Spread(double mean, double deviation) {

    /** Measures once with each of the seeds 1, 2, …, on all cores. */
    static Spread over(int seeds, LongToDoubleFunction measurement) {
        return of(LongStream.rangeClosed(1, seeds)
                .parallel()
                .mapToDouble(measurement)
                .toArray());
    }

    static <T> Spread of(List<T> measured, ToDoubleFunction<T> value) {
        return of(measured.stream().mapToDouble(value).toArray());
    }

    static Spread of(double... values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / values.length;
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return new Spread(mean, values.length == 1 ? 0 : Math.sqrt(squares / (values.length - 1)));
    }
}
