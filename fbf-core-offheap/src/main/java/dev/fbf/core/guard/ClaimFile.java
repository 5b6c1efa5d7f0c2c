package dev.fbf.core.guard;

import dev.fbf.core.StorageException;
import dev.fbf.core.guard.ClaimRecords.Entry;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.NewFile;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The file of a node's claims: makes it, and refuses one that is not what it should be. */
final class ClaimFile {

    private static final String NAME = "fbf.claims";

    private ClaimFile() {}

    /**
     * Opens the file in a directory, and makes it if there is none or it has too few records.
     *
     * @param restored what its records have to be, whatever it has; null if they are as they were left
     */
    static ClaimRecords open(Path directory, int capacity, @Nullable List<Entry> restored) {
        Path file = directory.resolve(NAME);
        try {
            if (Files.notExists(file)) {
                return create(file, capacity, UUID.randomUUID(), List.of());
            }
            ClaimRecords records = map(file);
            int needed = Math.max(records.capacity(), capacity);
            if (restored != null) {
                return create(file, needed, records.node(), restored);
            }
            if (!records.areSound()) {
                throw refused(file, "a record is corrupt");
            }
            return needed == records.capacity() ? records : create(file, needed, records.node(), records.entries());
        } catch (NewFile.NoSpaceException e) {
            throw new StorageException(
                    "The file of the claims " + file + " needs " + bytes(capacity) + " bytes, and the disk has "
                            + e.usable() + " to spare.",
                    "Free some space, choose another directory, or allow fewer claims.",
                    e);
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(
                    "The file of the claims " + file + " cannot be used: " + e + ".",
                    "Check that this user may read and write it and that the disk is sound.",
                    e);
        }
    }

    /** A new file, which takes the place of one that is there; each record is under its number. */
    private static ClaimRecords create(Path file, int capacity, UUID node, List<Entry> entries) throws IOException {
        return new ClaimRecords(NewFile.create(file, bytes(capacity), words -> {
            ClaimRecords.initialize(words, capacity, node);
            entries.forEach(new ClaimRecords(words)::write);
        }));
    }

    private static ClaimRecords map(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw refused(file, "it is no file");
        }
        if (Files.size(file) < ClaimLayout.HEADER_WORDS * Long.BYTES) {
            throw refused(file, "it is truncated: " + Files.size(file) + " bytes are less than a header");
        }
        Words words = MappedWords.map(file);
        ClaimRecords records = new ClaimRecords(words);
        if (!records.isOfFbf()) {
            throw refused(file, "it was not written by fbf on a machine of this byte order");
        }
        if (records.version() > ClaimLayout.VERSION) {
            throw new StorageException(
                    "The file of the claims " + file + " has format " + records.version()
                            + "; this version of fbf knows up to " + ClaimLayout.VERSION + ".",
                    "Run the newer version of fbf that wrote it.",
                    null);
        }
        if (records.version() != ClaimLayout.VERSION || Files.size(file) % Long.BYTES != 0 || !records.isSound()) {
            throw refused(file, "its header is corrupt, or it has not the length that it says");
        }
        return records;
    }

    private static long bytes(int capacity) {
        return ClaimLayout.words(capacity) * Long.BYTES;
    }

    private static StorageException refused(Path file, String why) {
        return new StorageException(
                "The file of the claims " + file + " is refused: " + why + ".",
                "Restore it from where it was changed. Without it nobody knows which operations were in doubt when the"
                        + " process ended: only if none of those will be retried, move it away and start again.",
                null);
    }
}
