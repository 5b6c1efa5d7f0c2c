package dev.fbf.loadtest.harness;

/** A load test, a benchmark or a torture. It has a public constructor without arguments, and a properties file names it. */
public interface Run {

    /**
     * Runs it.
     *
     * @return what it found; {@link Findings#NONE} if its settings leave nothing to do
     */
    Findings run(Settings settings) throws Exception;
}
