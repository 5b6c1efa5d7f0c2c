package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import java.io.IOException;
import java.nio.file.Path;

/** What a filter's file tells of the moment in which its process was killed. */
public final class FileOfTheDead {

    private static final long CLEAN = 1;

    private FileOfTheDead() {}

    /**
     * Tells whether a generation was being cleared.
     *
     * @return whether the spare generation is not yet clean
     * @throws IOException if the file cannot be mapped
     */
    public static boolean wasClearing(Path file) throws IOException {
        return (MappedWords.map(file).getVolatile(FilterLayout.STATE_WORD) & CLEAN) == 0;
    }
}
