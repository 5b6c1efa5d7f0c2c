package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The contents of a directory, byte for byte, without the lock, which has the last process id. */
public final class DirectoryContents {

    private DirectoryContents() {}

    public static Map<String, ByteBuffer> of(Path directory) throws IOException {
        Map<String, ByteBuffer> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                if (!path.endsWith("fbf.lock")) {
                    contents.put(
                            directory.relativize(path).toString(),
                            ByteBuffer.wrap(Files.isDirectory(path) ? new byte[0] : Files.readAllBytes(path)));
                }
            }
        }
        return contents;
    }
}
