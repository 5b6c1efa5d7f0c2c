package dev.fbf.core.filter;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and opens a {@link TransposedFilter}'s file, and refuses one that is not what it should be. */
final class FilterFile {

    private static final Logger log = LoggerFactory.getLogger(FilterFile.class);

    private static final int CHUNK_BYTES = 1 << 20;

    private FilterFile() {}

    static TransposedFilter open(Path file, FilterPlan plan, InstantSource clock) {
        try {
            if (!Files.exists(file)) {
                create(file, plan, clock);
            }
            requireLength(file, FilterLayout.words(0) * Long.BYTES);
            Words words = MappedWords.map(file);
            requireSound(file, words);
            requireSamePlan(file, words, plan);
            requireLength(file, plan.bytes());
            TransposedFilter filter = new TransposedFilter(plan, words, clock);
            takeOver(file, words, filter);
            return filter;
        } catch (IOException e) {
            throw new StorageException(
                    "The filter's file " + file + " cannot be used: " + e + ".",
                    "Check that this user may read and write it and that the disk is sound.",
                    e);
        }
    }

    /**
     * Writes every byte, so that a full disk shows now and not as a fault under a store, and renames the file when it
     * is complete, so that a crash leaves no half-made one.
     */
    private static void create(Path file, FilterPlan plan, InstantSource clock) throws IOException {
        long usable = Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace();
        if (usable < plan.bytes()) {
            throw noSpace(file, plan, usable, null);
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        try {
            fillWithZeros(unfinished, plan.bytes());
            Words words = MappedWords.map(unfinished);
            initialize(words, plan, clock);
            words.force();
        } catch (IOException e) {
            long left = Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace();
            Files.deleteIfExists(unfinished);
            if (left < CHUNK_BYTES) {
                throw noSpace(file, plan, left, e);
            }
            throw e;
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static StorageException noSpace(Path file, FilterPlan plan, long usable, @Nullable IOException cause) {
        return new StorageException(
                String.format(
                        Locale.ROOT,
                        "The filter's file %s needs %,d bytes, and the disk has %,d to spare.",
                        file,
                        plan.bytes(),
                        usable),
                "Free some space, choose another directory, or ask for less: fewer expected operations per second, a"
                        + " shorter retry window, or a higher false positive probability.",
                cause);
    }

    private static void fillWithZeros(Path file, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try (FileChannel channel = FileChannel.open(file, CREATE, TRUNCATE_EXISTING, WRITE)) {
            for (long left = bytes; left > 0; ) {
                zeros.clear().limit((int) Math.min(CHUNK_BYTES, left));
                left -= channel.write(zeros);
            }
        }
    }

    static void initialize(Words words, FilterPlan plan, InstantSource clock) {
        SecureRandom random = new SecureRandom();
        words.setRelease(FilterLayout.MAGIC_WORD, FilterLayout.MAGIC);
        words.setRelease(FilterLayout.VERSION_WORD, FilterLayout.VERSION);
        planWords(plan).forEach((word, value) -> words.setRelease(word, value));
        words.setRelease(FilterLayout.SECRET_WORD, random.nextLong());
        words.setRelease(FilterLayout.SECRET_WORD + 1, random.nextLong());
        words.setRelease(FilterLayout.CHECKSUM_WORD, checksum(words));
        TransposedFilter.initialize(words, clock.millis());
    }

    private static void requireLength(Path file, long bytes) throws IOException {
        long actual = Files.size(file);
        if (actual < bytes) {
            throw refused(file, "it is truncated: " + actual + " of at least " + bytes + " bytes");
        }
    }

    private static void requireSound(Path file, Words words) {
        if (words.getVolatile(FilterLayout.MAGIC_WORD) != FilterLayout.MAGIC) {
            throw refused(file, "it was not written by fbf on a machine of this byte order");
        }
        long version = words.getVolatile(FilterLayout.VERSION_WORD);
        if (version > FilterLayout.VERSION) {
            throw new StorageException(
                    "The filter's file " + file + " has format " + version + "; this version of fbf knows up to "
                            + FilterLayout.VERSION + ".",
                    "Run the newer version of fbf that wrote it.",
                    null);
        }
        if (words.getVolatile(FilterLayout.CHECKSUM_WORD) != checksum(words)) {
            throw refused(file, "its header is corrupt");
        }
    }

    private static StorageException refused(Path file, String why) {
        return new StorageException(
                "The filter's file " + file + " is refused: " + why + ".",
                "Restore it from where it was changed; or, if its operations can no longer be retried, move it away and"
                        + " start again with an empty filter.",
                null);
    }

    private static void requireSamePlan(Path file, Words words, FilterPlan plan) {
        boolean same = planWords(plan).entrySet().stream()
                .allMatch(entry -> words.getVolatile(entry.getKey()) == entry.getValue());
        if (!same) {
            throw new StorageException(
                    "The filter's file " + file + " was made for another rate, retry window or false positive"
                            + " probability than is now asked for.",
                    "Go back to the former values; or stop for as long as the former retry window, so that nothing it"
                            + " holds can be retried any more, and move the file away.",
                    null);
        }
    }

    private static Map<Long, Long> planWords(FilterPlan plan) {
        return Map.of(
                FilterLayout.RULE_WORD, FilterLayout.code(plan.rule()),
                FilterLayout.LANE_BITS_WORD, (long) plan.laneBits(),
                FilterLayout.PAST_WORD, (long) plan.past(),
                FilterLayout.LINES_WORD, plan.lines(),
                FilterLayout.PROBE_LINES_WORD, (long) plan.spread().lines(),
                FilterLayout.PROBES_PER_LINE_WORD, (long) plan.spread().probesPerLine(),
                FilterLayout.PERIOD_MILLIS_WORD, plan.period().toMillis());
    }

    private static void takeOver(Path file, Words words, TransposedFilter filter) {
        UUID boot = BootId.current();
        UUID lastBoot = new UUID(
                words.getVolatile(FilterLayout.BOOT_ID_WORD), words.getVolatile(FilterLayout.BOOT_ID_WORD + 1));
        if (words.getVolatile(FilterLayout.CLOSED_AT_WORD) != FilterLayout.OPEN) {
            filter.makeUpMissedRefreshes();
        } else if (!lastBoot.equals(BootId.UNKNOWN) && !lastBoot.equals(boot)) {
            log.warn(
                    "The machine went down while {} was open: the filter may lack the operations of its last seconds."
                            + " Retries of those would be applied again.",
                    file);
        }
        words.setRelease(FilterLayout.BOOT_ID_WORD, boot.getMostSignificantBits());
        words.setRelease(FilterLayout.BOOT_ID_WORD + 1, boot.getLeastSignificantBits());
        words.setRelease(FilterLayout.CLOSED_AT_WORD, FilterLayout.OPEN);
        words.force();
    }

    private static long checksum(Words words) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = ByteBuffer.allocate((int) FilterLayout.CHECKSUM_WORD * Long.BYTES);
        for (long word = 0; word < FilterLayout.CHECKSUM_WORD; word++) {
            bytes.putLong(words.getVolatile(word));
        }
        crc.update(bytes.flip());
        return crc.getValue();
    }
}
