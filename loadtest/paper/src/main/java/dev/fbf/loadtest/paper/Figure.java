package dev.fbf.loadtest.paper;

import java.util.List;

/**
 * One of the paper's figures, drawn again.
 *
 * @param setting the paper's claim in other words, its parameters, and what we had to assume
 * @param data everything that was measured, for the data file
 * @param tables the numbers that matter, each under a title
 * @param findings what to know beyond the verdict
 * @param claims what the paper says, and what we found
 */
record Figure(
        int number,
        String title,
        String setting,
        Plot plot,
        Table data,
        List<Table> tables,
        List<String> findings,
        List<Claim> claims) {

    String fileName() {
        return Digits.format("figure-%02d", number);
    }
}
