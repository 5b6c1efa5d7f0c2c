package dev.fbf.loadtest.paper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Operations on a counter, some of which are sent once more: decided by the seed, so that every memory sees the same. */
final class RetriedCounter {

    private record Request(double seconds, long operation) {}

    private final List<Request> requests = new ArrayList<>();
    private final int operations;

    /**
     * Draws the retries.
     *
     * @param retried the share of them that is sent once more
     * @param window within how many seconds after the operation, every moment as likely
     * @param seed decides which, and when
     */
    RetriedCounter(int operations, double perSecond, double retried, double window, long seed) {
        this.operations = operations;
        SplittableRandom random = new SplittableRandom(seed);
        for (int operation = 0; operation < operations; operation++) {
            double seconds = operation / perSecond;
            requests.add(new Request(seconds, operation));
            double delay = random.nextDouble() * window;
            if (random.nextDouble() < retried) {
                requests.add(new Request(seconds + delay, operation));
            }
        }
        requests.sort(Comparator.comparingDouble(Request::seconds));
    }

    /** How far the counter is off in the end, as a share of the operations; above zero when it counts too many. */
    double error(Memory memory) {
        int counter = 0;
        int second = 0;
        for (Request request : requests) {
            while (second < (int) request.seconds) {
                memory.secondGoneBy();
                second++;
            }
            counter += memory.isNew(request.operation) ? 1 : 0;
        }
        return (double) (counter - operations) / operations;
    }
}
