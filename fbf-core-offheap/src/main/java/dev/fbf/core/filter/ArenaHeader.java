package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** The header of an arena, as {@link FilterLayout} defines it. */
final class ArenaHeader {

    /** The rules by their numbers in the file. The order of this list is part of the format; that of the enum's constants may change. */
    private static final List<Rule> RULES = List.of(Rule.SINGLE, Rule.PAPER);

    private final Words words;

    ArenaHeader(Words words) {
        this.words = words;
    }

    /** Writes the fixed words, and {@link FilterLayout#NONE} to the checked words. */
    void initialize(FilterPlan plan, long[] secret) {
        words.setRelease(FilterLayout.MAGIC_WORD, FilterLayout.MAGIC);
        words.setRelease(
                FilterLayout.VERSION_WORD,
                plan.stated().requests() ? FilterLayout.VERSION_WITH_REQUESTS : FilterLayout.VERSION);
        words.setRelease(FilterLayout.RULE_WORD, RULES.indexOf(plan.rule()));
        words.setRelease(FilterLayout.MAY_GROW_WORD, plan.mayGrow() ? 1 : 0);
        words.setRelease(FilterLayout.LANE_BITS_WORD, plan.laneBits());
        words.setRelease(FilterLayout.PAST_WORD, plan.past());
        words.setRelease(FilterLayout.LINES_WORD, plan.lines());
        words.setRelease(FilterLayout.PROBE_LINES_WORD, plan.spread().lines());
        words.setRelease(FilterLayout.PROBES_PER_LINE_WORD, plan.spread().probesPerLine());
        words.setRelease(FilterLayout.PLANNED_PERIOD_WORD, plan.period().toMillis());
        write(FilterLayout.SIZING_WORD, plan.sizing());
        write(FilterLayout.STATED_WORD, plan.stated());
        for (int word = 0; word < ProbeHash.SECRET_WORDS; word++) {
            words.setRelease(FilterLayout.SECRET_WORD + word, secret[word]);
        }
        words.setRelease(FilterLayout.CHECKSUM_WORD, checksum());
        FilterLayout.checkedWords().forEach(word -> words.setRelease(word, CheckedWord.of(FilterLayout.NONE)));
    }

    /** Returns whether a header of a supported version is intact. */
    boolean isSound() {
        return words.getVolatile(FilterLayout.CHECKSUM_WORD) == checksum()
                && FilterLayout.checkedWords().allMatch(word -> CheckedWord.isSound(words.getVolatile(word)))
                && FilterLayout.unusedWords().allMatch(word -> words.getVolatile(word) == 0);
    }

    FilterPlan plan() {
        int laneBits = (int) words.getVolatile(FilterLayout.LANE_BITS_WORD);
        return new FilterPlan(
                sizing(FilterLayout.STATED_WORD),
                sizing(FilterLayout.SIZING_WORD),
                words.getVolatile(FilterLayout.MAY_GROW_WORD) == 1,
                RULES.get((int) words.getVolatile(FilterLayout.RULE_WORD)),
                laneBits,
                (int) words.getVolatile(FilterLayout.PAST_WORD),
                words.getVolatile(FilterLayout.LINES_WORD),
                new Spread(
                        (int) words.getVolatile(FilterLayout.PROBE_LINES_WORD),
                        (int) words.getVolatile(FilterLayout.PROBES_PER_LINE_WORD),
                        FilterLayout.LINE_BITS / laneBits),
                Duration.ofMillis(words.getVolatile(FilterLayout.PLANNED_PERIOD_WORD)));
    }

    long[] secret() {
        return LongStream.range(0, ProbeHash.SECRET_WORDS)
                .map(word -> words.getVolatile(FilterLayout.SECRET_WORD + word))
                .toArray();
    }

    /** Reads a checked word, which may change while the filter is open. */
    long get(long word) {
        long checked = words.getVolatile(word);
        if (!CheckedWord.isSound(checked)) {
            throw unsound(words);
        }
        return CheckedWord.value(checked);
    }

    static InternalError unsound(Words words) {
        return MappedFault.of(words, "the header is corrupt");
    }

    void set(long word, long value) {
        words.setChecked(word, CheckedWord.of(value));
    }

    /** Writes a checked word to the disk. */
    void force(long word, long value) {
        set(word, value);
        words.force(0, FilterLayout.HEADER_WORDS);
    }

    FileBeat beat() {
        return new FileBeat(get(FilterLayout.INTENDED_BEAT_WORD), get(FilterLayout.CONFIRMED_BEAT_WORD));
    }

    /** Records the boot of the machine in which this process has opened the arena. */
    void open(long boot, long bootedAt) {
        set(FilterLayout.BOOTED_AT_WORD, bootedAt);
        set(FilterLayout.BOOT_WORD, boot);
        set(FilterLayout.CLOSED_AT_WORD, FilterLayout.NONE);
        words.force(0, FilterLayout.HEADER_WORDS);
    }

    boolean isOf(long boot) {
        return get(FilterLayout.BOOT_WORD) == boot;
    }

    boolean isSuperseded() {
        return get(FilterLayout.SUPERSEDED_AT_WORD) != FilterLayout.NONE;
    }

    /** Returns whether another arena replaced this one at least a window ago. */
    boolean isOutlived(long now) {
        return isSuperseded()
                && get(FilterLayout.SUPERSEDED_AT_WORD) + plan().window().toMillis() <= now;
    }

    long lastKnownTime() {
        return LongStream.concat(
                        LongStream.of(
                                get(FilterLayout.CLOSED_AT_WORD),
                                get(FilterLayout.SUPERSEDED_AT_WORD),
                                get(FilterLayout.INCOMPLETE_SINCE_WORD),
                                get(FilterLayout.LACKING_SINCE_WORD)),
                        LongStream.range(0, Long.SIZE).map(bit -> get(FilterLayout.SEALED_AT_WORD + bit)))
                .filter(time -> time != Generations.NOT_YET)
                .max()
                .orElseThrow();
    }

    private void write(long word, FilterSizing sizing) {
        words.setRelease(word, Double.doubleToLongBits(sizing.expectedOperationsPerSecond()));
        words.setRelease(word + 1, sizing.retryWindow().toNanos());
        words.setRelease(word + 2, Double.doubleToLongBits(sizing.falsePositiveProbability()));
    }

    private FilterSizing sizing(long word) {
        return new FilterSizing(
                Double.longBitsToDouble(words.getVolatile(word)),
                Duration.ofNanos(words.getVolatile(word + 1)),
                Double.longBitsToDouble(words.getVolatile(word + 2)),
                FilterSizing.UNLIMITED,
                words.getVolatile(FilterLayout.VERSION_WORD) == FilterLayout.VERSION_WITH_REQUESTS);
    }

    private long checksum() {
        return words.checksum(0, FilterLayout.CHECKSUM_WORD);
    }
}
