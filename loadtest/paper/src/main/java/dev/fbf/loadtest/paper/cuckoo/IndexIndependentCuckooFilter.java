package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * I2CF, section III-A: a cuckoo filter whose k candidate buckets are found on a consistent hash ring, so that buckets
 * can be added ({@link #scaleUp}) and removed ({@link #scaleDown}) one by one, section III-D.
 *
 * <p>The ring has the positions 0 to M - 1, and the bucket of a position is the nearest one clockwise. The candidates
 * follow from the fingerprint alone. Elements with the same fingerprint have the same candidates, and no more than
 * {@code k * b} of them fit in.
 */
final class IndexIndependentCuckooFilter {

    /** The smallest seeds are those of the fingerprint and of h_1 to h_k. */
    private static final long FIRST_CANDIDATE_SEED = 100;

    private final Shape shape;
    private final long seed;
    private final TreeMap<Long, Bucket> ring = new TreeMap<>();
    /** Of each bucket the positions of its points, in order. */
    private final SortedMap<Bucket, long[]> points = new TreeMap<>(Comparator.comparingInt(Bucket::number));
    /** The numbers of removed buckets, which the next ones get. */
    private final Deque<Integer> removed = new ArrayDeque<>();

    private final Reallocation reallocation;
    /** How many buckets were ever added: each gets positions of its own. */
    private int added;

    IndexIndependentCuckooFilter(Shape shape, int buckets, long seed) {
        this.shape = shape;
        this.seed = seed;
        reallocation = new Reallocation((fingerprint, bucket) -> candidates(fingerprint), shape.max(), seed);
        for (int bucket = 0; bucket < buckets; bucket++) {
            addBucket();
        }
    }

    private Bucket addBucket() {
        Bucket bucket = new Bucket(removed.isEmpty() ? points.size() : removed.pop(), shape.slots());
        long bucketSeed = Hash.of(seed, added++);
        putOnRing(
                bucket,
                LongStream.range(0, shape.virtualNodes())
                        .map(i -> Hash.below(Hash.of(bucketSeed, i), shape.ringLength()))
                        .toArray());
        return bucket;
    }

    /** A point whose position is taken gets the next that is free, so that no other point moves. */
    private void putOnRing(Bucket bucket, long... positions) {
        if (ring.size() + positions.length > shape.ringLength()) {
            throw new IllegalStateException(
                    "points=" + (ring.size() + positions.length) + ": must be at most M=" + shape.ringLength());
        }
        for (int i = 0; i < positions.length; i++) {
            while (ring.putIfAbsent(positions[i], bucket) != null) {
                positions[i] = (positions[i] + 1) % shape.ringLength();
            }
        }
        Arrays.sort(positions);
        points.put(bucket, positions);
    }

    private long[] takeOffRing(Bucket bucket) {
        long[] positions = Objects.requireNonNull(points.remove(bucket));
        for (long position : positions) {
            ring.remove(position);
        }
        return positions;
    }

    private Bucket bucket(long position) {
        Map.Entry<Long, Bucket> next = ring.ceilingEntry(position);
        return (next == null ? ring.firstEntry() : next).getValue();
    }

    /** Returns the buckets that follow a bucket on the ring: it took its arcs from them. */
    private Set<Bucket> successors(Bucket bucket) {
        return Arrays.stream(Objects.requireNonNull(points.get(bucket)))
                .mapToObj(position -> bucket((position + 1) % shape.ringLength()))
                .filter(next -> next != bucket)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The buckets of h_1 to h_k of a fingerprint. */
    private Bucket[] candidates(long fingerprint) {
        return IntStream.range(0, shape.candidates())
                .mapToObj(i -> bucket(Hash.below(Hash.of(FIRST_CANDIDATE_SEED + i, fingerprint), shape.ringLength())))
                .toArray(Bucket[]::new);
    }

    /** Stores a fingerprint within max reallocations; returns whether that was possible. */
    boolean insert(long fingerprint) {
        return reallocation.insert(fingerprint, candidates(fingerprint));
    }

    /** Stores a fingerprint without any reallocation; returns whether that was possible. */
    boolean add(long fingerprint) {
        return Reallocation.add(fingerprint, candidates(fingerprint));
    }

    boolean contains(long fingerprint) {
        return Arrays.stream(candidates(fingerprint)).anyMatch(candidate -> candidate.contains(fingerprint));
    }

    /** Removes a fingerprint once; returns the bucket that had it, or null. */
    @Nullable Bucket delete(long fingerprint) {
        for (Bucket candidate : candidates(fingerprint)) {
            if (candidate.remove(fingerprint)) {
                return candidate;
            }
        }
        return null;
    }

    /**
     * Scale up: adds buckets until a fingerprint that was refused has room.
     *
     * <p>The paper moves a fingerprint from the successor B_j to the new bucket if it is mapped between. With several
     * virtual nodes there are several successors, and more may have to move than the new bucket can have: these are
     * inserted anew, and further buckets are added until all have room. A fingerprint stays in B_j if another of its
     * hashes is mapped there.
     */
    void scaleUp(long fingerprint) {
        Deque<Long> homeless = new ArrayDeque<>();
        homeless.add(fingerprint);
        do {
            Bucket bucket = addBucket();
            for (Bucket successor : successors(bucket)) {
                for (long moving : successor.fingerprints()) {
                    if (!Arrays.asList(candidates(moving)).contains(successor)) {
                        successor.remove(moving);
                        if (!bucket.add(moving)) {
                            homeless.addFirst(moving);
                        }
                    }
                }
            }
            homeless.removeIf(this::insert);
        } while (!homeless.isEmpty());
    }

    /** Whether all slots of a fingerprint's candidates have just this fingerprint. */
    boolean isFullOf(long fingerprint) {
        return Arrays.stream(candidates(fingerprint)).allMatch(candidate -> candidate.isFullOf(fingerprint));
    }

    /**
     * Scale down: removes a bucket if its fingerprints have room in others, its successor first; returns whether they
     * had.
     */
    boolean scaleDown(Bucket bucket) {
        if (buckets() == 1 || size() > slots() - shape.slots()) {
            return false;
        }
        Map<Bucket, long[]> before = save();
        long[] moving = bucket.fingerprints();
        Bucket[][] candidates = Arrays.stream(moving).mapToObj(this::candidates).toArray(Bucket[][]::new);
        long[] positions = takeOffRing(bucket);
        for (int i = moving.length - 1; i >= 0; i--) {
            if (!addToSuccessor(moving[i], bucket, candidates[i]) && !insert(moving[i])) {
                restore(before);
                putOnRing(bucket, positions);
                return false;
            }
        }
        removed.push(bucket.number());
        return true;
    }

    private boolean addToSuccessor(long fingerprint, Bucket bucket, Bucket... before) {
        Bucket[] now = candidates(fingerprint);
        return IntStream.range(0, now.length).anyMatch(i -> before[i] == bucket && now[i].add(fingerprint));
    }

    /** All fingerprints, each as often as it is stored. */
    long[] fingerprints() {
        return points.keySet().stream()
                .flatMapToLong(bucket -> Arrays.stream(bucket.fingerprints()))
                .toArray();
    }

    /** What {@link #restore} takes: all fingerprints as they are now. */
    Map<Bucket, long[]> save() {
        Map<Bucket, long[]> saved = new HashMap<>();
        points.keySet().forEach(bucket -> saved.put(bucket, bucket.save()));
        return saved;
    }

    /** Takes back all changes of fingerprints since. */
    static void restore(Map<Bucket, long[]> saved) {
        saved.forEach(Bucket::restore);
    }

    int size() {
        return points.keySet().stream().mapToInt(Bucket::size).sum();
    }

    int buckets() {
        return points.size();
    }

    long slots() {
        return (long) buckets() * shape.slots();
    }
}
