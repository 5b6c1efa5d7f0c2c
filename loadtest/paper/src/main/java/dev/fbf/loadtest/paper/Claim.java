package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import java.util.List;

/**
 * A claim of a paper, and the result of the experiment.
 *
 * @param where the figure or table of the claim
 * @param measured the result, under each rule where there are several
 * @param verdict whether the paper's own filter bears it out: it holds, in part, or does not hold
 * @param because the reason for the verdict
 */
record Claim(String where, String claim, String paper, List<String> measured, String verdict, String because) {

    /** Claims for people at a terminal. */
    static String table(String title, List<Claim> claims) {
        return format("%n  %s%n%n", title)
                + Table.<Claim>of(claims)
                        .text("of", Claim::where)
                        .text("verdict", Claim::verdict)
                        .text("claim", Claim::claim)
                        .text("paper", Claim::paper)
                        .text("here", claim -> String.join(" | ", claim.measured));
    }
}
