package dev.fbf.core.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Words above a disk that has the forced ones, and perhaps more. */
public final class ForcedWords implements Words {

    private final long[] words;
    private final long[] disk;
    /** How many words, from a multiple of it on, the disk has of one moment. */
    private final int unit;

    /** For each unit that was changed since it was last forced, its value after each change. */
    private final Map<Integer, List<long[]>> unforced = new TreeMap<>();

    public ForcedWords(long size) {
        this(new long[(int) size], 1);
    }

    public ForcedWords(long size, int unit) {
        this(new long[(int) size], unit);
    }

    private ForcedWords(long[] disk, int unit) {
        this.disk = disk;
        this.unit = unit;
        words = disk.clone();
    }

    /** The words after the next boot: all forced ones, and nothing else. */
    public ForcedWords afterPowerLoss() {
        return new ForcedWords(disk.clone(), unit);
    }

    /** Possible words after the next boot: each unit has any value since it was last forced. */
    public synchronized ForcedWords afterPowerLoss(Random random) {
        long[] found = disk.clone();
        unforced.forEach((number, contents) -> {
            int chosen = random.nextInt(contents.size() + 1);
            if (chosen < contents.size()) {
                // as often the last one as all others
                long[] content = contents.get(random.nextBoolean() ? chosen : contents.size() - 1);
                System.arraycopy(content, 0, found, number * unit, unit);
            }
        });
        return new ForcedWords(found, unit);
    }

    @Override
    public long size() {
        return words.length;
    }

    @Override
    public synchronized long getVolatile(long index) {
        return words[(int) index];
    }

    @Override
    public synchronized void setRelease(long index, long value) {
        words[(int) index] = value;
        int number = (int) index / unit;
        unforced.computeIfAbsent(number, key -> new ArrayList<>())
                .add(Arrays.copyOfRange(words, number * unit, (number + 1) * unit));
    }

    @Override
    public synchronized boolean compareAndSet(long index, long expected, long value) {
        if (words[(int) index] != expected) {
            return false;
        }
        setRelease(index, value);
        return true;
    }

    @Override
    public synchronized void force() {
        System.arraycopy(words, 0, disk, 0, words.length);
        unforced.clear();
    }

    @Override
    public synchronized void force(long first, int count) {
        System.arraycopy(words, (int) first, disk, (int) first, count);
        unforced.keySet().removeIf(number -> number * unit >= first && number * unit < first + count);
    }
}
