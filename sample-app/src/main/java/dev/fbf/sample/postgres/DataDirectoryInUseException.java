package dev.fbf.sample.postgres;

import java.nio.file.Path;

/** Another sample app works on the same data. */
final class DataDirectoryInUseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DataDirectoryInUseException(Path path) {
        super("Another sample app is running on the data in " + path);
    }
}
