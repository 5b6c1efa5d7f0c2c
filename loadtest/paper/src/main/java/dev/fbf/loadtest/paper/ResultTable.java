package dev.fbf.loadtest.paper;

import java.util.List;

/** The result for people at a terminal. */
final class ResultTable {

    private ResultTable() {}

    static String of(List<Figure> figures, int seeds) {
        StringBuilder text = new StringBuilder(Digits.format("%n  the paper, reproduced: %d seeds%n", seeds));
        for (Figure figure : figures) {
            for (Claim claim : figure.claims()) {
                text.append(Digits.format("%n  figure %-2d  %s: %s%n", claim.figure(), claim.claim(), claim.verdict()));
                line(text, "paper", claim.paper());
                line(text, "as printed", claim.asPrinted());
                line(text, "corrected", claim.corrected());
                line(text, "SINGLE", claim.single());
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String title, String value) {
        text.append(Digits.format("    %-12s %s%n", title, value));
    }
}
