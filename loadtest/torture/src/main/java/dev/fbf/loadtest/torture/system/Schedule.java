package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.torture.client.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /** How many faults each lane gets, by its setting. */
    static Map<Fault.Lane, Integer> counts(Settings settings, Set<Fault.Lane> lanes) {
        return lanes.stream().collect(Collectors.toMap(lane -> lane, lane -> settings.count(lane.setting())));
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

    /** Lets each fault happen at its time, each lane in a thread of its own; returns when all have happened. */
    void run(History history, Deed deed) throws InterruptedException {
        int begin = history.millis();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        events.forEach((lane, faults) -> {
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (Event event : faults) {
                                TimeUnit.MILLISECONDS.sleep(begin + event.millis() - history.millis());
                                if (failure.get() != null) {
                                    return;
                                }
                                deed.happen(event);
                            }
                        } catch (Exception e) {
                            failure.compareAndSet(null, e);
                        }
                    },
                    "faults-" + lane);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        });
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("the torture itself failed", thrown);
        }
    }

    /** Lets a fault happen. */
    @FunctionalInterface
    interface Deed {
        void happen(Event event) throws Exception;
    }

    /** A fault at its time. */
    record Event(long millis, Fault fault, long seed) {}
}
