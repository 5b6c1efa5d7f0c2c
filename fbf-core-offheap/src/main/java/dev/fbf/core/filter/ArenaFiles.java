package dev.fbf.core.filter;

import dev.fbf.core.DurationText;
import dev.fbf.core.StorageException;
import dev.fbf.core.file.WordFile;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of a scope: {@code <scope>~<number>.fbf}, one per arena; the newest has the highest number. */
final class ArenaFiles implements ArenaStore {

    private static final Logger logger = LoggerFactory.getLogger(ArenaFiles.class);

    /** Separator that a scope's name cannot contain, so that each file belongs to one scope. */
    private static final String SEPARATOR = "~";

    private static final String SUFFIX = ".fbf";

    /** Pattern of the numbers that {@link #create} writes: no two strings denote the same number. Other files are not fbf's. */
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    private final Path directory;
    private final String scope;
    private final MachineClock machine;
    private final long boot;
    private final Map<Arena, Path> paths = new ConcurrentHashMap<>();
    private long lastNumber;

    /** Secret of new arenas; the same as that of the filter's newest arena. */
    private long[] secret = ProbeHash.randomSecret();

    /** The time on the scope's clock when the machine booted; constant until the next boot. */
    private long bootedAt;

    ArenaFiles(Path directory, String scope, MachineClock machine) {
        this.directory = directory;
        this.scope = scope;
        this.machine = machine;
        boot = machine.boot();
    }

    @Override
    public Arena create(FilterPlan plan, FilterClock clock) {
        Path path = directory.resolve(scope + SEPARATOR + (lastNumber + 1) + SUFFIX);
        Words words = kind(path).create(plan.bytes(), zeros -> {
            Arena.initialize(plan, zeros, clock, secret);
            new ArenaHeader(zeros).open(boot, bootedAt);
        });
        lastNumber++; // unchanged after a failure: the next attempt replaces the unfinished file
        Arena arena = arena(path, plan, words, clock);
        noteArenas();
        return arena;
    }

    @Override
    public void remove(Arena arena) {
        Path path = Objects.requireNonNull(paths.remove(arena));
        noteArenas();
        try {
            Files.delete(path);
        } catch (IOException e) {
            // the arena is still marked as superseded: the next process tries again
            logger.atWarn()
                    .addKeyValue("scope", scope)
                    .setCause(e)
                    .log("The file {} is no longer needed and cannot be deleted. The next start tries again.", path);
        }
    }

    /** Writes the number of arenas. Synchronized, because one thread may create an arena while another one removes an arena. */
    private synchronized void noteArenas() {
        paths.entrySet().stream()
                .max(Comparator.comparingLong(each -> number(each.getValue())))
                .ifPresent(newest -> newest.getKey().header.force(FilterLayout.ARENAS_WORD, paths.size()));
    }

    @Override
    public void close() {
        paths.clear();
    }

    /** Opens the scope's filter. Creates it if it does not exist. */
    ForgetfulBloomFilter open(FilterPlan plan) {
        Map<Path, Words> files = new LinkedHashMap<>();
        for (Path path : newestFirst()) {
            files.put(path, map(path));
        }
        boolean isComplete = isComplete(files.values());
        files.values().stream().findFirst().ifPresent(newest -> secret = new ArenaHeader(newest).secret());
        FilterClock clock = clock(files.values());
        List<Arena> arenas = new ArrayList<>();
        if (!files.isEmpty() && needsAnother(files.values(), plan, clock)) {
            // before the other files are changed: if the disk is full, they stay unchanged
            arenas.add(create(plan, clock));
        }
        files.forEach((path, words) -> arenas.add(reopen(path, words, clock)));
        noteArenas();
        ForgetfulBloomFilter filter = new ForgetfulBloomFilter(scope, plan, this, clock, arenas);
        if (!isComplete) {
            noteMissing(filter);
        }
        // after all other changes: if this process is killed before, the next process still detects that the machine
        // went down
        files.values().forEach(words -> new ArenaHeader(words).open(boot, bootedAt));
        return filter;
    }

    /** Returns whether all arenas exist, according to the newest remaining one. */
    private static boolean isComplete(Collection<Words> newestFirst) {
        return newestFirst.stream()
                .findFirst()
                .map(ArenaHeader::new)
                .map(newest -> !newest.isSuperseded() && newest.get(FilterLayout.ARENAS_WORD) <= newestFirst.size())
                .orElse(true);
    }

    private void noteMissing(ForgetfulBloomFilter filter) {
        filter.noteLacking();
        logger.atError()
                .addKeyValue("scope", scope)
                .log(
                        "A file {}{}*{} in {} is missing: it was removed, or not copied with the others. Operations of"
                                + " the scope are refused for {}, while retries of operations in that file may arrive.",
                        scope,
                        SEPARATOR,
                        SUFFIX,
                        directory,
                        DurationText.of(filter.lackingFor()));
    }

    /**
     * Returns whether a new arena is needed and allowed. If the limit has no room for it beside the others, the newest arena stays in use
     * until there is room.
     *
     * @throws StorageException if the maximum size has no room for it, and the newest arena would forget operations before the requested
     *     window has passed
     */
    private boolean needsAnother(Collection<Words> newestFirst, FilterPlan asked, FilterClock clock) {
        FilterPlan newest = new ArenaHeader(newestFirst.iterator().next()).plan();
        if (newest.serves(asked)) {
            return false;
        }
        long needed = asked.bytes()
                + newestFirst.stream()
                        .filter(words -> !new ArenaHeader(words).isOutlived(clock.millis()))
                        .mapToLong(words -> words.size() * Long.BYTES)
                        .sum();
        if (needed <= asked.stated().maxBytes()) {
            return true;
        }
        String why = "The filter of scope " + scope + " needs " + FilterSizing.bytes(needed)
                + " with the new settings, and its limit is "
                + FilterSizing.bytes(asked.stated().maxBytes())
                + ": the files of the old settings must be kept for their window.";
        if (newest.window().compareTo(asked.stated().retryWindow()) < 0) {
            throw new StorageException(
                    why,
                    "Raise the limit (property fbf.max-size) to the needed size, or keep the retry window of "
                            + DurationText.of(newest.stated().retryWindow()) + ".");
        }
        logger.atWarn()
                .addKeyValue("scope", scope)
                .log(
                        "{} The old settings ({}) apply until there is room. Raise the limit to the needed size.",
                        why,
                        newest.stated());
        return false;
    }

    private Arena reopen(Path path, Words words, FilterClock clock) {
        ArenaHeader header = new ArenaHeader(words);
        Arena arena = arena(path, header.plan(), words, clock);
        arena.sealAfterCrash();
        if (header.get(FilterLayout.CLOSED_AT_WORD) != FilterLayout.NONE) {
            arena.rotateForTimeClosed();
        } else if (boot != MachineClock.UNKNOWN_BOOT && !header.isOf(boot)) {
            arena.noteIncomplete();
            logger.atWarn()
                    .addKeyValue("scope", scope)
                    .log(
                            "The machine went down while {} was open: the filter may lack the operations of the last"
                                    + " minute before that. Their retries would be applied again, unless operations"
                                    + " are held back or a ledger has them.",
                            path);
        }
        return arena;
    }

    private Arena arena(Path path, FilterPlan plan, Words words, FilterClock clock) {
        Arena arena = new Arena(plan, words, clock);
        paths.put(arena, path);
        return arena;
    }

    /**
     * Returns a clock that continues from the latest time in the files. Within one boot of the machine it is independent of the wall clock.
     * After another boot it starts from the wall clock, but never runs backwards.
     */
    private FilterClock clock(Collection<Words> files) {
        List<ArenaHeader> headers = files.stream().map(ArenaHeader::new).toList();
        long lastKnown =
                headers.stream().mapToLong(ArenaHeader::lastKnownTime).max().orElse(0);
        FilterClock wall = FilterClock.of(machine).atLeast(lastKnown);
        if (boot == MachineClock.UNKNOWN_BOOT) {
            return wall;
        }
        long now = wall.millis(); // read before the uptime: a delay in between must not put the clock forward
        long startedAt = now - machine.uptimeNanos() / 1_000_000 - 1;
        bootedAt = headers.stream()
                .filter(header -> header.isOf(boot))
                .mapToLong(header -> header.get(FilterLayout.BOOTED_AT_WORD))
                .findFirst()
                .orElse(startedAt);
        return FilterClock.since(bootedAt, machine).atLeast(lastKnown);
    }

    /** Maps an existing, intact file, and leaves it unchanged. */
    static Words map(Path file) {
        return kind(file).open(words -> {
            ArenaHeader header = new ArenaHeader(words);
            return header.isSound() ? header.plan().bytes() : null;
        });
    }

    private static WordFile kind(Path file) {
        return new WordFile(
                "The filter's file",
                file,
                FilterLayout.MAGIC,
                FilterLayout.VERSION_WITH_REQUESTS,
                FilterLayout.HEADER_WORDS,
                "Restore the original file; or, if its operations can no longer be retried, move it away and start"
                        + " again with an empty filter.",
                "reduce the requirements: fewer expected operations per second, a shorter retry window, or a higher"
                        + " false positive probability");
    }

    private static long number(Path file) {
        String name = file.getFileName().toString();
        return Long.parseLong(name.substring(name.lastIndexOf(SEPARATOR) + 1, name.length() - SUFFIX.length()));
    }

    private List<Path> newestFirst() {
        TreeMap<Long, Path> byNumber = new TreeMap<>(Comparator.reverseOrder());
        String prefix = scope + SEPARATOR;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path path : entries) {
                String name = path.getFileName().toString();
                if (name.startsWith(prefix) && name.endsWith(SUFFIX + WordFile.UNFINISHED)) {
                    WordFile.deleteUnfinished(path); // of a killed process
                } else if (name.startsWith(prefix) && name.endsWith(SUFFIX)) {
                    String number = name.substring(prefix.length(), name.length() - SUFFIX.length());
                    if (NUMBER.matcher(number).matches()) {
                        byNumber.put(number(path), path);
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new StorageException(
                    "The files of scope " + scope + " in " + directory + " cannot be listed: " + e + ".",
                    "Check that this user may read the directory and that the disk is sound.",
                    e);
        }
        lastNumber = byNumber.isEmpty() ? 0 : byNumber.firstKey();
        return List.copyOf(byNumber.values());
    }
}
