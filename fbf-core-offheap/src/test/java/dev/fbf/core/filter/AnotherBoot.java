package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes the files of a directory those of an earlier start of the machine. */
public final class AnotherBoot {

    private AnotherBoot() {}

    public static void of(Path directory) throws IOException {
        try (DirectoryStream<Path> arenas = Files.newDirectoryStream(directory, "*~*.fbf")) {
            for (Path arena : arenas) {
                new ArenaHeader(MappedWords.map(arena)).set(FilterLayout.BOOT_WORD, 12_345);
            }
        }
    }
}
