package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Repeats the experiments and writes the page, its plots and its data. */
public final class PaperReproduction implements Run {

    private static final List<Supplier<Experiment>> EXPERIMENTS = List.of(
            OptimizedCheck::new,
            ModelByElements::new,
            ModelBySize::new,
            RefreshPeriods::new,
            FilterNumbers::new,
            AdaptiveRun::new,
            RecyclableComparison::new);

    @Override
    public Findings run(Settings settings) throws IOException {
        int seeds = settings.atLeastOne("seeds");
        List<Figure> figures = EXPERIMENTS.stream()
                .map(experiment -> experiment.get().run(seeds))
                .toList();
        List<Claim> claims =
                figures.stream().flatMap(figure -> figure.claims().stream()).toList();
        Page page = new Page(settings, "README.md");
        page.block("claims", summary(claims, page));
        for (Figure figure : figures) {
            page.block(figure.name(), figure.markdown(page));
        }
        page.write();
        return new Findings(
                Map.of("claims", claims),
                Claim.table(Digits.format("the paper, reproduced: %d seeds", seeds), claims),
                List.of(),
                List.of(),
                Map.of());
    }

    private static String summary(List<Claim> claims, Page page) {
        return Claim.summary(
                claims,
                "figure",
                claim -> page.link(claim.where().replaceAll("\\D", ""), claim.where() + ":"),
                "as printed",
                "corrected",
                "SINGLE");
    }
}
