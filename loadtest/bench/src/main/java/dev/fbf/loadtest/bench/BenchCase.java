package dev.fbf.loadtest.bench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What is measured.
 *
 * @param memory {@code chronicle}, or empty: then the JDK decides how the file is mapped
 */
record BenchCase(String benchmark, Contender contender, int mebibytes, int threads, String memory) {

    static final String CHRONICLE = "chronicle";

    BenchCase(String benchmark, Contender contender, int mebibytes, int threads) {
        this(benchmark, contender, mebibytes, threads, "");
    }

    /**
     * All that the report compares, each case once.
     *
     * @param foreign whether this JDK maps the filter by {@code java.lang.foreign}, so that Chronicle is measured beside it
     */
    static List<BenchCase> all(Sizes sizes, boolean foreign) {
        Set<BenchCase> cases = new LinkedHashSet<>();
        for (int mebibytes : new int[] {sizes.small(), sizes.middle(), sizes.large()}) {
            for (Contender contender : new Contender[] {Contender.GUAVA, Contender.FBF_N4, Contender.LINES}) {
                cases.add(new BenchCase("check", contender, mebibytes, 1));
            }
        }
        for (Contender contender : new Contender[] {Contender.GUAVA_N4, Contender.GUAVA_N22, Contender.FBF_N22}) {
            cases.add(new BenchCase("check", contender, sizes.middle(), 1));
        }
        cases.add(new BenchCase("check", Contender.FBF_N4, sizes.middle(), 2));
        for (Contender contender : new Contender[] {Contender.LINES, Contender.FBF_N4, Contender.FBF_N22}) {
            cases.add(new BenchCase("checkAll", contender, sizes.middle(), 1));
        }
        for (Contender contender : new Contender[] {Contender.NOTHING, Contender.LINES, Contender.FBF_N4}) {
            cases.add(new BenchCase("checkAlone", contender, sizes.middle(), 1));
        }
        cases.add(new BenchCase("put", Contender.GUAVA, sizes.middle(), 1));
        cases.add(new BenchCase("put", Contender.FBF_N4, sizes.middle(), 1));
        if (foreign) {
            for (int mebibytes : new int[] {sizes.middle(), sizes.large()}) {
                for (String benchmark : new String[] {"check", "put"}) {
                    cases.add(new BenchCase(benchmark, Contender.FBF_N4, mebibytes, 1));
                    cases.add(new BenchCase(benchmark, Contender.FBF_N4, mebibytes, 1, CHRONICLE));
                }
            }
        }
        return new ArrayList<>(cases);
    }

    /**
     * Sizes of the filters in MiB.
     *
     * @param small fits the processor's own cache
     * @param middle for most of what is compared
     * @param large fits no cache
     */
    record Sizes(int small, int middle, int large) {}
}
