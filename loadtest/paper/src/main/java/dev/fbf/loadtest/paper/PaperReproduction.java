package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Repeats the experiments and writes the page, its plots and its data. */
public final class PaperReproduction implements Run {

    @Override
    public Findings run(Settings settings) throws IOException {
        int seeds = settings.atLeastOne("seeds");
        Page page = new Page(settings, "README.md");
        Map<String, Object> figures = new LinkedHashMap<>();
        for (Experiment experiment : List.of(
                new OptimizedCheck(),
                ModelAgainstCount.byElements(),
                ModelAgainstCount.bySize(),
                new RefreshPeriods(),
                new FilterNumbers(),
                new AdaptiveRun(),
                new RecyclableComparison())) {
            figures.put(experiment.name(), experiment.run(seeds, page));
        }
        List<Claim> claims = page.write(figures);
        return new Findings(
                Map.of("claims", claims),
                Claim.table(format("the paper, reproduced: %d seeds", seeds), claims),
                List.of(),
                List.of(),
                Map.of());
    }
}
