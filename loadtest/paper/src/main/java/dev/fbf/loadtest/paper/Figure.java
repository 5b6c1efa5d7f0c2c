package dev.fbf.loadtest.paper;

import java.io.IOException;
import java.util.List;

/**
 * One of the paper's figures, drawn again.
 *
 * @param data everything that was measured, for the data file
 * @param tables the numbers that matter, each under a title
 * @param findings sentences with numbers of this run
 * @param claims the paper's claims, and the results here
 */
record Figure(int number, Plot plot, Table data, List<Table> tables, List<String> findings, List<Claim> claims) {

    String name() {
        return Digits.format("figure-%02d", number);
    }

    /** Writes the plot and its data; returns the block of the page. */
    String markdown(Page page) throws IOException {
        StringBuilder text = new StringBuilder(Page.verdicts(claims));
        text.append('\n').append(page.plot(name(), plot, data.csv()));
        for (Table table : tables) {
            text.append('\n').append(table.title()).append(":\n\n").append(table.markdown());
        }
        text.append('\n');
        findings.forEach(finding -> text.append("- ").append(finding).append('\n'));
        return text.toString();
    }
}
