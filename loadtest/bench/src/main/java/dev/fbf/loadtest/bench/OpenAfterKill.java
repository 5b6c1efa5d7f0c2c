package dev.fbf.loadtest.bench;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How long a filter takes to open when the process that had it open was killed. Classes and page cache are warm. */
final class OpenAfterKill {

    private static final int TIMES = 5;

    private OpenAfterKill() {}

    static double medianMillis(int mebibytes) throws IOException {
        try (BenchDirectory temporary = BenchDirectory.create()) {
            Path path = temporary.path();
            List<Double> millis = new ArrayList<>();
            millis(path, mebibytes); // makes the file, and warms the classes up
            for (int i = 0; i < TIMES; i++) {
                millis.add(millis(path, mebibytes));
            }
            return Rounds.median(millis);
        }
    }

    private static double millis(Path path, int mebibytes) throws IOException {
        try (ChildProcess holder = ChildProcess.talking(ChildProcess.java(
                List.of(), Holder.class.getName(), List.of(path.toString(), Integer.toString(mebibytes))))) {
            holder.awaitSign(Holder.READY);
        }
        FilterPlan plan = plan(mebibytes);
        long start = System.nanoTime();
        try (FilterDirectory directory = FilterDirectory.open(path)) {
            directory.filter("bench", plan);
            return (System.nanoTime() - start) / 1e6;
        }
    }

    private static FilterPlan plan(int mebibytes) {
        return MappedFilter.plan(mebibytes * (1L << 20), 4, Contender.FPP);
    }

    /** The process that is killed. */
    static final class Holder {

        private static final int READY = '!';

        private Holder() {}

        /** Opens the filter, says so, and waits. */
        public static void main(String[] arguments) throws IOException {
            try (FilterDirectory directory = FilterDirectory.open(Path.of(arguments[0]))) {
                directory.filter("bench", plan(Integer.parseInt(arguments[1])));
                System.out.write(READY);
                System.out.flush();
                while (System.in.read() >= 0) {
                    // ends with the process that started this one
                }
            }
        }
    }
}
