package dev.fbf.loadtest.paper;

import java.util.List;
import java.util.Locale;

/** The page docs/paper/README.md. */
final class Page {

    private final StringBuilder text = new StringBuilder();

    private Page() {}

    static String of(List<Figure> figures, int seeds) {
        Page page = new Page();
        page.paragraph("# The paper, reproduced");
        page.paragraph(Introduction.text(seeds));
        page.summary(figures);
        page.paragraph("## How it was measured");
        page.paragraph(Introduction.method());
        figures.forEach(page::section);
        return page.text.toString();
    }

    private void summary(List<Figure> figures) {
        Table table = new Table("summary", "figure", "claim", "paper", "as printed", "corrected", "SINGLE", "holds?");
        for (Figure figure : figures) {
            for (Claim claim : figure.claims()) {
                table.row(
                        "[" + claim.figure() + "](#" + anchor(figure) + ")",
                        claim.claim(),
                        claim.paper(),
                        claim.asPrinted(),
                        claim.corrected(),
                        claim.single(),
                        "**" + claim.verdict() + "**");
            }
        }
        paragraph(table.markdown().stripTrailing());
    }

    private void section(Figure figure) {
        paragraph("## " + heading(figure));
        paragraph(figure.setting());
        for (Claim claim : figure.claims()) {
            String verdict = claim.verdict().toString();
            paragraph("**" + Character.toUpperCase(verdict.charAt(0)) + verdict.substring(1) + "** (" + claim.claim()
                    + "). " + claim.because());
        }
        paragraph("![" + figure.plot().title() + "](" + figure.fileName() + ".png)");
        for (Table table : figure.tables()) {
            paragraph(table.title() + ":");
            paragraph(table.markdown().stripTrailing());
        }
        figure.findings().forEach(finding -> text.append("- ").append(finding).append('\n'));
        text.append('\n');
        paragraph("Data: [" + figure.fileName() + ".csv](" + figure.fileName() + ".csv)");
    }

    private void paragraph(String paragraph) {
        text.append(paragraph).append("\n\n");
    }

    private static String heading(Figure figure) {
        return "Figure " + figure.number() + ": " + figure.title();
    }

    /** As GitHub makes anchors of headings. */
    private static String anchor(Figure figure) {
        return heading(figure)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }
}
