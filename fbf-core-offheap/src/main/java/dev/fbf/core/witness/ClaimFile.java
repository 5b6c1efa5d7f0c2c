package dev.fbf.core.witness;

import dev.fbf.core.file.WordFile;
import dev.fbf.core.memory.Words;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

/** The file of a node's claims. */
final class ClaimFile {

    private static final String NAME = "fbf.claims";

    private ClaimFile() {}

    /**
     * Opens the file in a directory. Creates it if it does not exist, and enlarges it if it has fewer records than the capacity.
     */
    static ClaimRecords open(Path directory, int capacity) {
        Path file = directory.resolve(NAME);
        if (Files.notExists(file)) {
            return create(file, capacity, UUID.randomUUID(), words -> {});
        }
        ClaimRecords records = new ClaimRecords(kind(file).open(words -> {
            ClaimRecords header = new ClaimRecords(words);
            return header.isSound() ? (Long) bytes(header.capacity()) : null;
        }));
        if (!records.areSound()) {
            throw kind(file).refused("a record is corrupt");
        }
        return records.capacity() >= capacity ? records : create(file, capacity, records.node(), records::copyTo);
    }

    /** Creates the file or replaces it; each record keeps its index. */
    private static ClaimRecords create(Path file, int capacity, UUID node, Consumer<Words> write) {
        return new ClaimRecords(kind(file).create(bytes(capacity), words -> {
            ClaimRecords.initialize(words, capacity, node);
            write.accept(words);
        }));
    }

    private static long bytes(int capacity) {
        return ClaimLayout.words(capacity) * Long.BYTES;
    }

    private static WordFile kind(Path file) {
        return new WordFile(
                "The file of the claims",
                file,
                ClaimLayout.MAGIC,
                ClaimLayout.VERSION,
                ClaimLayout.HEADER_WORDS,
                "Restore the original file: it lists the operations that were in doubt when the process ended."
                        + " Only if none of them will be retried, move it away and start again.",
                "allow fewer claims");
    }
}
