package dev.fbf.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Rows of the tables in the documentation. */
public final class Rows {

    private Rows() {}

    /** The cells of each row whose first one is in code font and begins with a word. */
    public static List<List<String>> of(String page, String word) {
        try {
            return Files.readAllLines(Path.of("..", page)).stream()
                    .filter(line -> line.startsWith("| `" + word))
                    .map(line -> Arrays.stream(
                                    line.substring(1, line.lastIndexOf('|')).split("\\|"))
                            .map(String::strip)
                            .toList())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is in code font. */
    public static String code(String cell) {
        return cell.replace("`", "");
    }
}
