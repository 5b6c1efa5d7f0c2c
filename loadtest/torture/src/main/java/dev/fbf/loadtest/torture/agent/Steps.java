package dev.fbf.loadtest.torture.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Kills this process when a thread comes to the step that a file names. Called by the instrumented methods. */
public final class Steps {

    private static final long POLL_NANOS = 5_000_000;

    private static volatile @Nullable Step armed;

    private Steps() {}

    static void watch(Path file) {
        Thread thread = new Thread(() -> poll(file), "torture-steps");
        thread.setDaemon(true);
        thread.start();
    }

    /** A thread is at a step: if it is the one, that thread does not get any further. */
    public static void reached(Step step) {
        if (armed == step && (!step.isOfGroup() || AppliedGroup.isOfSeveral())) {
            Runtime.getRuntime().halt(FilePoints.KILLED);
        }
    }

    private static void poll(Path file) {
        while (true) {
            try {
                armed = Files.exists(file) ? Step.valueOf(Files.readString(file).strip()) : null;
            } catch (IOException e) {
                armed = null; // it was there a moment ago
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
