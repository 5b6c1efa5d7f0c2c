package dev.fbf.loadtest.paper;

/**
 * A claim of the paper, and what came out under each rule.
 *
 * @param verdict whether it holds for the paper's own filter
 * @param because the verdict in one sentence
 */
public record Claim(
        int figure,
        String claim,
        String paper,
        String asPrinted,
        String corrected,
        String single,
        Verdict verdict,
        String because) {

    public enum Verdict {
        HOLDS("holds"),
        PARTLY("in part"),
        FAILS("does not hold");

        private final String title;

        Verdict(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return title;
        }
    }
}
