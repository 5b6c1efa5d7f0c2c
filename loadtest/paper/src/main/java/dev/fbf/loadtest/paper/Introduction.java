package dev.fbf.loadtest.paper;

/** What the page says before its figures. */
final class Introduction {

    private Introduction() {}

    static String text(int seeds) {
        return Digits.format("""
                Subramanyam, Gupta, Leslie and Wang, *Idempotent Distributed Counters Using a Forgetful Bloom Filter*: the \
                experiments of its section VI-A, B, C and E, run again in simulated time with %d seeds. `mvn -Ppaper verify` \
                repeats them and writes this page, its plots and its data; the same seeds give the same page.

                - **as printed**: algorithm 2 to the letter. Its chain of else-ifs ends before the oldest generation when \
                N > 1, so that an operation is forgotten one period early. With N = 1 (figures 8 to 11 and 16) it is the same \
                as the corrected rule.
                - **corrected**: the paper's text and equation 3: the future generation, or two neighbours, or the oldest alone.
                - **SINGLE**: an element goes into the present generation only, and any live generation may answer. As many \
                generations (N + 2) and the same window (N + 1)·t.

                Whether a claim *holds* is judged by the paper's own filter; SINGLE is there to compare.""", seeds);
    }

    static String method() {
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
