package dev.fbf.loadtest.bench;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterPlan;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.Arrays;

/** How long a filter takes to open when the process that had it open was killed. Classes and page cache are warm. */
final class OpenAfterKill {

    private static final int TIMES = 5;

    private OpenAfterKill() {}

    static double medianMillis(int mebibytes) throws IOException, InterruptedException {
        try (BenchDirectory temporary = BenchDirectory.create()) {
            Path path = temporary.path();
            double[] millis = new double[TIMES];
            millis(path, mebibytes); // makes the file, and warms the classes up
            for (int i = 0; i < TIMES; i++) {
                millis[i] = millis(path, mebibytes);
            }
            Arrays.sort(millis);
            return millis[TIMES / 2];
        }
    }

    private static double millis(Path path, int mebibytes) throws IOException, InterruptedException {
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-classpath",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        path.toString(),
                        Integer.toString(mebibytes))
                .redirectError(Redirect.INHERIT)
                .start();
        if (holder.getInputStream().read() != Holder.READY) {
            throw new IllegalStateException("the process that should hold the filter open died");
        }
        holder.destroyForcibly().waitFor();
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
