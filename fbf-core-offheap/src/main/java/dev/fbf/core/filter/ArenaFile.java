package dev.fbf.core.filter;

import dev.fbf.core.memory.WordFile;
import dev.fbf.core.memory.Words;
import java.nio.file.Path;

/** Opens and creates the file of an {@link Arena}. */
final class ArenaFile {

    private ArenaFile() {}

    /** Maps an existing, sound file, and changes nothing in it. */
    static Words open(Path file) {
        return kind(file).open(words -> {
            ArenaHeader header = new ArenaHeader(words);
            return header.isSound() ? header.plan().bytes() : null;
        });
    }

    /** Creates a file, marks it as open in this process, and maps it. */
    static Words create(
            Path file, FilterPlan plan, FilterClock clock, long[] secret, long boot, long bootedAt, long log) {
        return kind(file).create(plan.bytes(), words -> {
            Arena.initialize(plan, words, clock, secret);
            new ArenaHeader(words).open(boot, bootedAt, log);
        });
    }

    private static WordFile kind(Path file) {
        return new WordFile(
                "The filter's file",
                file,
                FilterLayout.MAGIC,
                FilterLayout.VERSION_WITH_REQUESTS,
                FilterLayout.HEADER_WORDS,
                "Restore it from where it was changed; or, if its operations can no longer be retried, move it away and"
                        + " start again with an empty filter.",
                "ask for less: fewer expected operations per second, a shorter retry window, or a higher false positive"
                        + " probability");
    }
}
