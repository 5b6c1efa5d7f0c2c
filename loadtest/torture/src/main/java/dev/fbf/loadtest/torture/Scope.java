package dev.fbf.loadtest.torture;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The filters that a victim has open. */
enum Scope {
    /** Short, but long enough for a busy machine to open it within its window. */
    SHORT(new FilterSizing(200_000, Duration.ofMillis(1_500), 1e-6).plan(Rule.PAPER, 2)),
    /** Refreshed ten times a second, with some milliseconds of clearing each time. */
    LONG(new FilterSizing(500_000, Duration.ofSeconds(3), 1e-6).plan(Rule.SINGLE, 29)),
    /** Planned for a part of what comes, so that it grows from arena to arena. */
    GROWING(new FilterSizing(30_000, Duration.ofSeconds(3), 1e-6).plan());

    @SuppressWarnings("ImmutableEnumChecker") // a record of values
    private final FilterPlan plan;

    Scope(FilterPlan plan) {
        this.plan = plan;
    }

    FilterPlan plan() {
        return plan;
    }

    /** The files of its arenas. */
    List<Path> files(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, this + "~*.fbf")) {
            List<Path> all = new ArrayList<>();
            files.forEach(all::add);
            return all;
        }
    }

    /** Where a victim's operation goes: one in eight to each of the small filters. */
    static Scope of(int index) {
        return switch (index % 8) {
            case 0 -> SHORT;
            case 1 -> GROWING;
            default -> LONG;
        };
    }

    static OperationId operation(int victim, int thread, int index) {
        return new OperationId((long) victim << 1 | thread, index);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
