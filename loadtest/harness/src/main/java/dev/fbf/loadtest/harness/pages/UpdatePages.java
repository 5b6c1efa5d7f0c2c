package dev.fbf.loadtest.harness.pages;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;

/** Writes the figures of the latest full runs to the pages of the documentation. It measures nothing, and has no result. */
public final class UpdatePages implements Run {

    @Override
    public Findings run(Settings settings) throws IOException {
        new Documentation(settings.inRepository("")).update(settings.results()).forEach(System.out::println);
        return Findings.NONE;
    }
}
