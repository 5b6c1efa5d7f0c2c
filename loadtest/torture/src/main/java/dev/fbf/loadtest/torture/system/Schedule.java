package dev.fbf.loadtest.torture.system;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Which fault happens when: the same for the same seed, counts and length. */
final class Schedule {

    /*
     * Each lane gets its faults by their weights, each of them at least once if there are so many, and each at a time of its own.
     * A lane that is still at work on a fault does the next one late: the order and the number hold, the times are the earliest.
     */
    private final Map<Fault.Lane, List<Event>> events = new EnumMap<>(Fault.Lane.class);

    /** Draws a schedule. */
    Schedule(long seed, Map<Fault.Lane, Integer> counts, Duration length, List<Fault> without) {
        for (Fault.Lane lane : Fault.Lane.values()) {
            // a lane's own generator: another count in one lane moves nothing in the others
            SplittableRandom random = new SplittableRandom(seed ^ lane.name().hashCode() * 0x9E3779B97F4A7C15L);
            List<Fault> faults = Stream.of(Fault.values())
                    .filter(fault -> fault.lane() == lane && !without.contains(fault))
                    .toList();
            events.put(lane, faults.isEmpty() ? List.of() : draw(random, faults, counts.getOrDefault(lane, 0), length));
        }
    }

    private static List<Event> draw(SplittableRandom random, List<Fault> faults, int count, Duration length) {
        List<Event> drawn = new ArrayList<>();
        int weights = faults.stream().mapToInt(Fault::weight).sum();
        for (int i = 0; i < count; i++) {
            Fault fault = i < faults.size() ? faults.get(i) : weighted(faults, random.nextInt(weights));
            drawn.add(new Event((long) (random.nextDouble() * length.toMillis()), fault, random.nextLong()));
        }
        drawn.sort(Comparator.comparingLong(Event::millis));
        return List.copyOf(drawn);
    }

    private static Fault weighted(List<Fault> faults, int point) {
        int left = point;
        for (Fault fault : faults) {
            left -= fault.weight();
            if (left < 0) {
                return fault;
            }
        }
        throw new IllegalArgumentException("point=" + point);
    }

    List<Event> of(Fault.Lane lane) {
        return events.getOrDefault(lane, List.of());
    }

    /** A fault at its time. */
    record Event(long millis, Fault fault, long seed) {}
}
