package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.paper.Claim;
import dev.fbf.loadtest.paper.Page;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Repeats the figures 4 and 5 and table I of the cuckoo paper, and writes the page, its plots and its data. Fails if an element that
 * was stored is not found.
 */
public final class CuckooReproduction implements Run {

    @Override
    public Findings run(Settings settings) throws IOException {
        List<TraceRuns.Kind> kinds = new ArrayList<>(DynamicCuckooComparison.kinds());
        kinds.addAll(ParameterImpact.kinds());
        TraceRuns runs = new TraceRuns(
                settings.atLeastOne("flows"), settings.atLeastOne("most-flows"), settings.atLeastOne("seeds"), kinds);
        DynamicCuckooComparison comparison = new DynamicCuckooComparison(runs);
        ParameterImpact impact = new ParameterImpact(runs);
        List<Claim> claims = new ArrayList<>(comparison.claims());
        claims.addAll(impact.claims());
        claims.addAll(comparison.features());
        Page page = new Page(settings, "cuckoo.md");
        page.block("claims", Claim.summary(claims, "of", Claim::where, "here"));
        page.block("figure-4", comparison.block(page));
        page.block("figure-5", impact.block(page));
        page.block("table-1", verdicts(comparison.features()));
        page.write();
        return new Findings(
                Map.of("claims", claims),
                Claim.table("cuckoo paper: claims judged", claims),
                List.of(Target.atMost("flows lost", 0, runs.lost())),
                runs.lost() == 0 ? List.of() : List.of(runs.lost() + " flows of the traces were lost"),
                Map.of());
    }

    static String verdicts(List<Claim> claims) {
        return Page.verdicts(claims, claim -> claim.where() + ": " + claim.claim());
    }
}
