package dev.fbf.spring.autoconfigure;

import dev.fbf.core.filter.FilterDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** A process that has a directory open until it is killed, or the one that started it is. */
final class DirectoryHolder {

    private DirectoryHolder() {}

    public static void main(String[] arguments) throws IOException {
        try (FilterDirectory directory = FilterDirectory.open(Path.of(arguments[0]))) {
            System.out.println(directory.path().toFile().isDirectory() ? "held" : "lost");
            while (System.in.read() >= 0) {
                // ends with the process that started this one
            }
        }
    }
}
