package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import java.util.List;
import java.util.stream.Collectors;

/** The page docs/research/cuckoo.md. */
final class CuckooPage {

    private CuckooPage() {}

    static String of(String answer, List<Section> sections, List<Judged> claims, List<FlowTrace> traces) {
        String parts = sections.stream().map(CuckooPage::part).collect(Collectors.joining("\n"));
        return introduction(traces) + "\n" + answer + "\n" + summary(claims) + "\n" + assumptions() + "\n" + parts;
    }

    private static String introduction(List<FlowTrace> traces) {
        return format(
                """
                # The cuckoo filter family

                Luo, Guo, Rottenstreich, Ma, Luo and Ren, *The Consistent Cuckoo Filter*: its filters (cuckoo filter, dynamic cuckoo filter, \
                I2CF and CCF), its figures 4 and 5, its tables and its theorems, and then the question that matters here: [what would a CCF \
                cost as a window over operations](#the-question-here-a-window-over-operations), in the place of the forgetful filter? \
                `mvn -Ppaper verify -Druns=paper-cuckoo` repeats everything and writes this page, its plots and its data. All of it but the times is the \
                same for the same seeds.

                **The trace is not the paper's.** Its 20 minutes of Yahoo! flows cannot be had. Here %d traces (seeds 1 to %d) are generated with what the \
                paper states of it: %,d flows that begin and end within 20 minutes, at most %,d at a time, a number that grows and falls both \
                gradually and suddenly, and falls at the end. What it does not state is assumed: begins come in waves with bursts and lulls, durations are \
                log-normal, no two flows at a time have the same addresses. Samples are taken after every eighth begin or end.
                """,
                traces.size(),
                traces.size(),
                traces.get(0).events() / 2,
                traces.get(0).peak());
    }

    private static String summary(List<Judged> claims) {
        return "## Claims judged\n\n"
                + Table.of(claims)
                        .text("of", Judged::where)
                        .text("claim", Judged::claim)
                        .text("paper", Judged::paper)
                        .text("here", Judged::measured)
                        .text("holds?", claim -> "**" + claim.verdict() + "**")
                        .markdown();
    }

    private static String part(Section section) {
        StringBuilder text = new StringBuilder("## " + section.heading() + "\n\n" + section.setting() + "\n\n");
        for (Judged claim : section.claims()) {
            String verdict = claim.verdict().toString();
            text.append(format(
                    "**%s%s** (%s: %s). %s%n%n",
                    Character.toUpperCase(verdict.charAt(0)),
                    verdict.substring(1),
                    claim.where(),
                    claim.claim(),
                    claim.because()));
        }
        return text.append(section.body()).toString();
    }

    private static String assumptions() {
        return """
                ## Where the paper is open or wrong

                - **Candidates and theorem 1.** Algorithms 1 to 3 hash the fingerprint, not the element, onto the ring; they must, or a victim could not be \
                reallocated. The false positive rate of theorem 1 is then not that of the filter: see below.
                - **Algorithm 1** does not say where the last victim goes when all reallocations were in vain. Here they are undone, and the new \
                fingerprint is refused; so nothing that was stored is lost. Its line 2 prints h_2 for h_k.
                - **Algorithm 4** calls algorithm 1, which extends the CCF and always returns true: it would merge for ever, and take the last filter away. \
                Here a merge extends nothing, goes first where no reallocation is needed, then into the active filter; the last filter stays.
                - **Scale up** speaks of one successor. A bucket of v virtual nodes has up to v, and more fingerprints can be mapped to it than it has slots. \
                Those are inserted anew, and buckets are added until all have room. A fingerprint stays where it is if another of its hashes is mapped \
                there.
                - **When to downsize** is not said, but for "the buckets which store less than 2 fingerprints". Here: scale down of the bucket that lost a \
                fingerprint and has fewer than 2 left; compact as soon as the other filters have as many empty slots as the least-loaded one has \
                fingerprints.
                - **The same fingerprint** cannot be stored more than k·b times in an I2CF, since its candidates never differ. More buckets do not help; a CCF \
                that may not add a filter refuses it.
                - **0** is a fingerprint in the paper. Here it marks an empty slot, so fingerprints begin at 1.
                - **The ring** is a sorted array, not a tree; a new point whose position is taken gets the next free one. M is 5·10¹⁰.
                - **Theorem 5**: misprints in the limits of equation 10 and in equation 11, see below.
                - **The comparison with BF and DBF** of table I has no experiment in the paper, and none here.
                """;
    }
}
