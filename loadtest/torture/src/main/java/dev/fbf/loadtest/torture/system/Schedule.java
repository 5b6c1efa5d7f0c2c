package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.torture.client.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Which fault happens when: the same for the same seed, counts and length. */
final class Schedule {

    /*
     * Each lane gets its faults by their weights, each of them at least once if there are so many, and each at a time of its own.
     * A lane that is still at work on a fault does the next one late: the order and the number hold, the times are the earliest.
     */
    private final Map<Fault.Lane, List<Event>> events = new EnumMap<>(Fault.Lane.class);

    Schedule(Settings settings, Set<Fault.Lane> lanes) {
        long seed = settings.integer("seed");
        Duration length = settings.seconds("seconds");
        List<Fault> without = settings.constants("without", Fault.class);
        for (Fault.Lane lane : lanes) {
            // a lane's own generator: another count in one lane moves nothing in the others
            SplittableRandom random = new SplittableRandom(seed ^ lane.name().hashCode() * 0x9E3779B97F4A7C15L);
            List<Fault> faults = Stream.of(Fault.values())
                    .filter(fault -> fault.lane == lane && !without.contains(fault))
                    .toList();
            events.put(lane, faults.isEmpty() ? List.of() : draw(random, faults, settings.count(lane.setting), length));
        }
    }

    private static List<Event> draw(SplittableRandom random, List<Fault> faults, int count, Duration length) {
        List<Event> drawn = new ArrayList<>();
        List<Fault> weighted = faults.stream()
                .flatMap(fault -> Collections.nCopies(fault.weight, fault).stream())
                .toList();
        for (int i = 0; i < count; i++) {
            Fault fault = i < faults.size() ? faults.get(i) : weighted.get(random.nextInt(weighted.size()));
            drawn.add(new Event((long) (random.nextDouble() * length.toMillis()), fault, random.nextLong()));
        }
        drawn.sort(Comparator.comparingLong(Event::millis));
        return List.copyOf(drawn);
    }

    /** Lets each fault happen at its time, each lane in a thread of its own; returns when all have happened. */
    void run(History history, Deed deed) throws InterruptedException {
        int begin = history.millis();
        ExecutorService threads = Executors.newCachedThreadPool();
        CompletionService<Boolean> lanes = new ExecutorCompletionService<>(threads);
        events.values()
                .forEach(faults -> lanes.submit(() -> {
                    for (Event event : faults) {
                        TimeUnit.MILLISECONDS.sleep(begin + event.millis() - history.millis());
                        deed.happen(event);
                    }
                    return true;
                }));
        try {
            for (int lane = 0; lane < events.size(); lane++) {
                lanes.take().get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the torture itself failed", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    @FunctionalInterface
    interface Deed {
        void happen(Event event) throws Exception;
    }

    record Event(long millis, Fault fault, long seed) {}
}
