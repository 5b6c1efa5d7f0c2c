package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import java.util.List;
import java.util.function.Function;

/**
 * A claim of a paper, and the result of the experiment.
 *
 * @param where the figure or table of the claim
 * @param measured the result, under each rule where there are several
 * @param verdict whether the paper's own filter bears it out
 * @param because the reason for the verdict
 */
public record Claim(String where, String claim, String paper, List<String> measured, Verdict verdict, String because) {

    public enum Verdict {
        HOLDS("holds"),
        PARTLY("in part"),
        FAILS("does not hold");

        private final String title;

        Verdict(String title) {
            this.title = title;
        }

        /** The verdict over two conditions: both, one or none of them is met. */
        public static Verdict of(boolean one, boolean other) {
            return one && other ? HOLDS : one || other ? PARTLY : FAILS;
        }

        public static Verdict of(boolean holds) {
            return of(holds, holds);
        }

        @Override
        public String toString() {
            return title;
        }
    }

    public Claim(String where, String claim, String paper, String measured, Verdict verdict, String because) {
        this(where, claim, paper, List.of(measured), verdict, because);
    }

    /**
     * Claims of a page, for its summary.
     *
     * @param where the title of the first column
     * @param link the content of that column
     * @param measured the titles of the columns of the results
     */
    public static String summary(List<Claim> claims, String where, Function<Claim, String> link, String... measured) {
        Table<Claim> table = Table.<Claim>of(claims)
                .text(where, link)
                .text("claim", Claim::claim)
                .text("paper", Claim::paper);
        for (int i = 0; i < measured.length; i++) {
            int column = i;
            table.text(measured[i], claim -> claim.measured.get(column));
        }
        return table.text("holds?", claim -> "**" + claim.verdict + "**").markdown();
    }

    /** Claims for people at a terminal. */
    public static String table(String title, List<Claim> claims) {
        return format("%n  %s%n%n", title)
                + Table.<Claim>of(claims)
                        .text("of", Claim::where)
                        .text("verdict", Claim::verdict)
                        .text("claim", Claim::claim)
                        .text("paper", Claim::paper)
                        .text("here", claim -> String.join(" | ", claim.measured));
    }
}
