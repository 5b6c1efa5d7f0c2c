package dev.fbf.loadtest.paper;

/** Equation 3 held against filled filters, one row for each filling. */
final class ModelAgainstCount {

    private static final int ABSENT = 200_000;

    private final Experiment experiment;
    private final Curves curves;
    private final Table table;
    private double lowest = Double.MAX_VALUE;
    private double highest = -Double.MAX_VALUE;
    private double lowestSingle = Double.MAX_VALUE;
    private double highestSingle = -Double.MAX_VALUE;

    ModelAgainstCount(Experiment experiment, String title, String quantity) {
        this.experiment = experiment;
        this.curves = experiment.curves;
        table = new Table(
                title,
                quantity,
                "counted",
                "from the bits",
                "equation 3",
                "off by",
                "exact model",
                "SINGLE, from the bits",
                "SINGLE, model");
    }

    void row(int quantity, Filling filling) {
        Spread counted = curves.measured(
                "counted",
                quantity,
                experiment.over(seed -> filling.fill(Rule.CORRECTED, seed).countedFpp(ABSENT)));
        Spread bits = curves.measured(
                "corrected, from the bits",
                quantity,
                experiment.over(seed -> filling.fill(Rule.CORRECTED, seed).computedFpp()));
        Spread singleBits = curves.measured(
                "SINGLE, from the bits",
                quantity,
                experiment.over(seed -> filling.fill(Rule.SINGLE, seed).computedFpp()));
        double equation3 =
                curves.modelled("equation 3", quantity, filling.load().equation3());
        double exact = curves.modelled("exact model", quantity, filling.load().exact(Rule.CORRECTED));
        double single = curves.modelled("SINGLE", quantity, filling.load().single());
        double off = equation3 / bits.mean() - 1;
        double singleOff = single / singleBits.mean() - 1;
        lowest = Math.min(lowest, off);
        highest = Math.max(highest, off);
        lowestSingle = Math.min(lowestSingle, singleOff);
        highestSingle = Math.max(highestSingle, singleOff);
        table.row(
                Digits.format("%,d", quantity),
                counted,
                bits,
                Digits.small(equation3),
                signed(off),
                Digits.small(exact),
                singleBits,
                Digits.small(single));
    }

    Table table() {
        return table;
    }

    /** Between what and what the equation is off. */
    String off() {
        return "off by " + signed(lowest) + " to " + signed(highest);
    }

    String singleOff() {
        return "its own model: off by " + signed(lowestSingle) + " to " + signed(highestSingle);
    }

    /** Whether the equation is nowhere off by more than a tenth. */
    boolean holds() {
        return Math.max(Math.abs(lowest), Math.abs(highest)) < 0.1;
    }

    private static String signed(double share) {
        return Digits.format("%+.1f %%", share * 100);
    }
}
