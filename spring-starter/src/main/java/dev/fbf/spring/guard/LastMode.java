package dev.fbf.spring.guard;

import dev.fbf.core.filter.SmallFile;
import dev.fbf.spring.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mode of the last process with a directory, in the file {@code fbf.mode}. What was applied in one mode is not all
 * known in the other, so a change is warned of.
 */
final class LastMode {

    private static final Logger log = LoggerFactory.getLogger(LastMode.class);

    private static final String FILE_NAME = "fbf.mode";

    private LastMode() {}

    /** Compares the mode with that of the process before this one, and notes it for the next. */
    static void compareAndNote(Path directory, Mode current) {
        Path file = directory.resolve(FILE_NAME);
        String now = name(current);
        try {
            String last = Files.exists(file) ? SmallFile.read(file) : now;
            if (Arrays.stream(Mode.values()).noneMatch(mode -> name(mode).equals(last))) {
                log.warn(
                        "The file {} is damaged and names no mode: the mode of the last process is not known. If it was not {},"
                                + " operations that were applied before may be applied again when they are retried. The file is"
                                + " written anew; a full disk or a power failure may have damaged other files of the directory too.",
                        file.toAbsolutePath(),
                        now);
            } else if (!last.equals(now)) {
                log.warn(
                        "fbf.mode was {} in {}, and is {} now: operations that were applied before may be applied again when"
                                + " they are retried. UPGRADING.md says which, and how to change the mode without that.",
                        last,
                        directory.toAbsolutePath(),
                        now);
            }
            SmallFile.write(file, now + "\n");
        } catch (IOException e) {
            // nobody but the warning needs it
            log.debug("The mode cannot be noted in {}.", file, e);
        }
    }

    private static String name(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
