package dev.fbf.loadtest.paper;

import java.util.List;
import java.util.Locale;

/** The page docs/research/README.md. */
final class Page {

    private final StringBuilder text = new StringBuilder();

    private Page() {}

    static String of(List<Figure> figures, int seeds) {
        Page page = new Page();
        page.paragraph("# The paper, reproduced");
        page.paragraph(introduction(seeds));
        page.summary(figures);
        page.paragraph("## How it was measured");
        page.paragraph(method());
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

    private static String introduction(int seeds) {
        return Digits.format("""
                Subramanyam, Gupta, Leslie and Wang, *Idempotent Distributed Counters Using a Forgetful Bloom Filter*: the \
                experiments of its section VI-A, B, C and E, run again in simulated time with %d seeds. `mvn -Ppaper verify` \
                repeats them and writes this page, its plots and its data; the same seeds give the same page.
                Figures 14, 15 and 17, which need a real store, are on [a page of their own](cassandra.md).
                Its thesis names the duplicates of click streams as a further use; [another page](clicks.md) compares the filter with other structures there.
                Another paper, of filters that can delete, is judged on [a page about the cuckoo filter family](cuckoo.md), beside the forgetful filter.

                - **as printed**: algorithm 2 to the letter. Its chain of else-ifs ends before the oldest generation when \
                N > 1, so that an operation is forgotten one period early. With N = 1 (figures 8 to 11 and 16) it is the same \
                as the corrected rule.
                - **corrected**: the paper's text and equation 3: the future generation, or two neighbours, or the oldest alone.
                - **SINGLE**: an element goes into the present generation only, and any live generation may answer. As many \
                generations (N + 2) and the same window (N + 1)·t.

                Whether a claim *holds* is judged by the paper's own filter; SINGLE is there to compare.""", seeds);
    }

    private static String method() {
        return """
                Every m, k, N and t is the paper's; where it leaves something open the section says what we assumed. A \
                filter's bits are filled by the operations of a seeded run (algorithm 1: an operation that seems present is not put \
                in). The false positive probability (FPP) is then computed from these bits, exactly: how \
                often each set of generations occurs among the positions says how likely an absent element finds \
                its k positions in them. This has no counting error even at 10⁻⁹. Filters of more than 14 generations (figures \
                12 and 13) are too large for that; there 100,000 absent elements are counted at each look. "±" is the standard \
                deviation over the seeds.

                *Equation 3* takes neighbouring generations for independent. They share a whole period of elements at the \
                same positions; the *exact model* counts what they share. Equation 1 has a misprint in its middle part (l and m \
                are swapped and the exponent k is missing); its right-hand side, which we use, is the usual one.""";
    }
}
