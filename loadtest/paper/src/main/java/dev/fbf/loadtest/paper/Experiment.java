package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.pages.Plot;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/** Draws one of the paper's figures again, once. The page's template judges the claims from what it measures. */
abstract class Experiment {

    static final List<Rule> RULES = List.of(Rule.AS_PRINTED, Rule.CORRECTED, Rule.SINGLE);

    final Curves curves = new Curves();
    private final int number;
    private final String quantity;
    private final Map<String, Object> figures = new LinkedHashMap<>();
    private int seeds;

    /** @param quantity what the curves are over */
    Experiment(int number, String quantity) {
        this.number = number;
        this.quantity = quantity;
    }

    /** Fills the curves and the figures; returns the plot. */
    abstract Plot measure();

    /** Measures everything with so many seeds, draws the plot and writes its data beside the page; returns all figures. */
    final Map<String, Object> run(int count, Page page) throws IOException {
        seeds = count;
        Plot plot = measure();
        page.plot(name(), plot, csv());
        figures.put("curves", curves.all());
        return figures;
    }

    final String name() {
        return format("figure-%02d", number);
    }

    final String csv() {
        return curves.csv(quantity);
    }

    /** Adds a figure that is no point of a curve. */
    final void figure(String name, Object value) {
        figures.put(name, value);
    }

    final int seeds() {
        return seeds;
    }

    /** The result under each rule of the page, in the order of its columns. */
    static <T> List<T> each(Function<Rule, T> result) {
        return RULES.stream().map(result).toList();
    }

    final Spread over(LongToDoubleFunction measurement) {
        return Spread.over(seeds, measurement);
    }
}
