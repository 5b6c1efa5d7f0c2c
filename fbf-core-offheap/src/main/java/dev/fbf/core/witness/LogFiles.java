package dev.fbf.core.witness;

import dev.fbf.core.StorageException;
import dev.fbf.core.file.NewFile;
import dev.fbf.core.file.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log in files of about 4 MB, {@code fbf.log~<number>}, each written sequentially. Files whose entries are old enough are deleted
 * when another file begins.
 */
final class LogFiles implements LogStore {

    /*
     * A file has its full length from the start, and is not mapped: so a force writes the changed pages, but no metadata of the file.
     * Forced bytes are written a second time, to a descriptor that waits for the disk (O_DSYNC):
     * FileChannel.force would need no second write, but closes the file when the thread is interrupted.
     */
    private static final Logger log = LoggerFactory.getLogger(LogFiles.class);

    private static final Pattern NAME = Pattern.compile("fbf\\.log~([1-9][0-9]{0,17})");

    /** Size of a file, without the space reserved for the ends of transactions. */
    private static final int BYTES = 4 << 20;

    /** File that is being written, and its appended bytes that were not forced yet. */
    private static final class Open {
        private final RandomAccessFile file;
        private final RandomAccessFile disk;
        private final ByteArrayOutputStream unforced = new ByteArrayOutputStream();
        private long position;

        Open(Path path, int begun) throws IOException {
            PrivateFiles.requireNoLink(path); // a RandomAccessFile follows links
            file = new RandomAccessFile(path.toFile(), "rw");
            disk = new RandomAccessFile(path.toFile(), "rwd");
            file.seek(begun);
            disk.seek(begun);
            position = begun;
        }

        void append(byte[] bytes) throws IOException {
            file.write(bytes);
            unforced.writeBytes(bytes);
            position += bytes.length;
        }

        byte[] takeUnforced() {
            byte[] bytes = unforced.toByteArray();
            unforced.reset();
            return bytes;
        }

        void close() throws IOException {
            file.close();
            disk.close();
        }
    }

    private final Path directory;
    private final LongSupplier uptime;
    private final List<Long> before;

    /** Upper bounds for the last write of each file except the current one, by uptime in milliseconds. */
    private final NavigableMap<Long, Long> writtenAt = new TreeMap<>();

    /** Full files that are not forced yet. */
    private final List<Open> full = new ArrayList<>();

    private long keepMillis;

    /** The number of the current file. */
    private long number;

    private LongFunction<byte[]> head = uptime -> new byte[0];
    private long endBytes;
    private @Nullable Open current;

    /**
     * Continues a log; the files of previous processes stay as long as required. The wall clock is not used, so that setting it does not
     * age files.
     *
     * @param boot the current boot id; 0 if it is unknown
     * @param uptime the machine's uptime in milliseconds
     */
    LogFiles(Path directory, long boot, LongSupplier uptime) {
        this.directory = directory;
        this.uptime = uptime;
        NavigableSet<Long> found = found(directory);
        writtenAt.putAll(writtenBy(found, new ClaimLog.Begin(boot, uptime.getAsLong())));
        before = List.copyOf(found);
        number = before.isEmpty() ? 0 : found.last();
    }

    /** Deletes the log, so that the next process does not continue it. */
    static void delete(Path directory) {
        try {
            for (long number : found(directory)) {
                Files.delete(file(directory, number));
            }
        } catch (IOException e) {
            throw unusable(directory, e);
        }
    }

    @Override
    public synchronized void keepFor(long millis) {
        keepMillis = millis;
    }

    @Override
    public synchronized void begin(LongFunction<byte[]> head, long endBytes) {
        this.head = head;
        this.endBytes = endBytes;
        current = make();
    }

    @Override
    public synchronized void makeRoom(int bytes) {
        Open last = current();
        if (last.position + bytes > BYTES) {
            Open next = make();
            full.add(last);
            writtenAt.put(number - 1, uptime.getAsLong());
            current = next;
            deleteOutlived();
        }
    }

    @Override
    public synchronized void append(byte[] bytes) {
        try {
            current().append(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void force() {
        List<Open> ended;
        Open last;
        byte[] bytes;
        synchronized (this) {
            ended = List.copyOf(full);
            full.clear();
            last = current();
            bytes = last.takeUnforced();
        }
        try {
            for (Open each : ended) {
                each.disk.write(each.takeUnforced());
                each.close();
            }
            last.disk.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void read(Consumer<ByteBuffer> segment) {
        for (long each : before) {
            try (InputStream file = Files.newInputStream(file(directory, each), LinkOption.NOFOLLOW_LINKS)) {
                segment.accept(ByteBuffer.wrap(file.readAllBytes()));
            } catch (NoSuchFileException e) {
                log.debug("The log file {} has been deleted.", e.getFile());
            } catch (IOException e) {
                throw unusable(directory, e);
            }
        }
    }

    @Override
    public void delete() {
        delete(directory);
    }

    @Override
    public synchronized void close() {
        try {
            for (Open each : full) {
                each.close();
            }
            full.clear();
            if (current != null) {
                current.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Open current() {
        return Objects.requireNonNull(current, "the log was not started");
    }

    private void deleteOutlived() {
        long outlived = uptime.getAsLong() - keepMillis;
        while (keepMillis > 0 && !writtenAt.isEmpty() && writtenAt.firstEntry().getValue() < outlived) {
            Path file = file(directory, writtenAt.firstKey());
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                log.warn("The file {} is no longer needed and cannot be deleted.", file, e);
                return; // the next call retries
            }
            writtenAt.pollFirstEntry();
        }
    }

    /** Creates the next file. Its head is on the disk before it has its name. */
    private Open make() {
        Path file = file(directory, number + 1);
        byte[] first = head.apply(uptime.getAsLong());
        try {
            NewFile.create(file, BYTES + endBytes, words -> {
                ByteBuffer bytes = ByteBuffer.wrap(first).order(ByteOrder.nativeOrder());
                for (int word = 0; bytes.hasRemaining(); word++) {
                    words.setRelease(word, bytes.getLong());
                }
            });
            Open made = new Open(file, first.length);
            number++; // unchanged after a failure: the next attempt replaces the unfinished file
            return made;
        } catch (IOException | UncheckedIOException e) {
            throw unusable(directory, e);
        }
    }

    private static Path file(Path directory, long number) {
        return directory.resolve("fbf.log~" + number);
    }

    private static NavigableSet<Long> found(Path directory) {
        NavigableSet<Long> found = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Matcher name = NAME.matcher(entry.getFileName().toString());
                if (name.matches()) {
                    found.add(Long.parseLong(name.group(1)));
                }
            }
            return found;
        } catch (IOException e) {
            throw unusable(directory, e);
        }
    }

    /**
     * Derives bounds for the files' last writes. A file was last written before the next one began, and in the boot in which it began. So
     * its age is at least the sum of the known spans since: by the uptime within a boot, and from the boot's start for earlier boots.
     */
    private Map<Long, Long> writtenBy(NavigableSet<Long> found, ClaimLog.Begin now) {
        Map<Long, Long> writtenBy = new HashMap<>();
        long by = now.uptime();
        ClaimLog.Begin next = now;
        for (long each : found.descendingSet()) {
            ClaimLog.Begin begin = begin(each);
            boolean known = begin.boot() != 0 && next.boot() != 0;
            boolean sameBoot = known && begin.boot() == next.boot();
            by -= known && !sameBoot ? next.uptime() : 0;
            writtenBy.put(each, by);
            by -= sameBoot ? Math.max(0, next.uptime() - begin.uptime()) : 0;
            next = begin;
        }
        return writtenBy;
    }

    private ClaimLog.Begin begin(long number) {
        try (InputStream file = Files.newInputStream(file(directory, number), LinkOption.NOFOLLOW_LINKS)) {
            return ClaimLog.Begin.of(file.readNBytes(ClaimLog.Begin.BYTES));
        } catch (IOException e) {
            throw unusable(directory, e);
        }
    }

    private static StorageException unusable(Path directory, Exception e) {
        return new StorageException(
                "The log of the claims in " + directory + " cannot be used: " + e + ".",
                "Check that this user may read and write there, and that the disk works and has free space.",
                e);
    }
}
