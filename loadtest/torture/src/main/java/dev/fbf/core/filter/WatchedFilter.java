package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The filter of a scope, seen from another process through its files. Changes nothing in them. For one thread. */
public final class WatchedFilter {

    /** See {@link Arena}. */
    private static final int EPOCH_SHIFT = 7;

    private final Path directory;
    private final String scope;
    private final FilterClock clock = FilterClock.of(MachineClock.monotonic());
    private final Map<Path, Words> mapped = new HashMap<>();

    /** Watches the files of a scope, whether they are there yet or not. */
    public WatchedFilter(Path directory, String scope) {
        this.directory = directory;
        this.scope = scope;
    }

    /**
     * An arena as it is now.
     *
     * @param number of its file: an arena that came later has a higher one
     * @param epoch how many times its generations have turned, and some more
     * @param estimatedFpp how often it is mistaken, from a sample of its bits
     */
    public record WatchedArena(long number, long bytes, long epoch, double estimatedFpp) {}

    /**
     * Looks at every arena.
     *
     * @return the arenas, the oldest first
     * @throws IOException if a file cannot be read
     */
    public List<WatchedArena> look() throws IOException {
        List<Path> files = files();
        mapped.keySet().retainAll(files);
        List<WatchedArena> arenas = new ArrayList<>();
        for (Path file : files) {
            try {
                arenas.add(look(file));
            } catch (NoSuchFileException e) {
                // it was outlived since it was listed
            }
        }
        arenas.sort(Comparator.comparingLong(WatchedArena::number));
        return arenas;
    }

    private WatchedArena look(Path file) throws IOException {
        Words words = mapped.get(file);
        if (words == null) {
            words = MappedWords.map(file);
            mapped.put(file, words);
        }
        ArenaHeader header = new ArenaHeader(words);
        FilterPlan plan = header.plan();
        return new WatchedArena(
                number(file),
                plan.bytes(),
                header.get(FilterLayout.STATE_WORD) >>> EPOCH_SHIFT,
                new Arena(plan, words, clock).stats().estimatedFpp());
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, scope + "~*.fbf")) {
                entries.forEach(files::add);
            }
        }
        return files;
    }

    private long number(Path file) {
        String name = file.getFileName().toString();
        return Long.parseLong(name.substring(scope.length() + 1, name.length() - ".fbf".length()));
    }
}
