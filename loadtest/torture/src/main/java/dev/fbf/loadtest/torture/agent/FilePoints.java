package dev.fbf.loadtest.torture.agent;

import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import java.util.concurrent.atomic.AtomicInteger;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * Kills this process at a moment at which it works on the files of its directory: at the begin or the end of one of the methods that
 * create, write, force or rename them. The moments are counted, from 1.
 */
public final class FilePoints {

    /** The system property with the number of the moment. */
    public static final String PROPERTY = "torture.file.point";

    /** The exit code of a process that was killed, as of one that SIGKILL has ended: no hook runs, no connection is closed in order. */
    public static final int KILLED = 137;

    static final String[] TYPES = ("dev.fbf.core.witness.ClaimRecords dev.fbf.core.file.WordFile$Disk"
                    + " dev.fbf.core.file.LockedDirectory dev.fbf.core.file.PrivateFiles dev.fbf.core.file.WordFile"
                    + " dev.fbf.core.filter.ArenaFiles dev.fbf.core.filter.FilterStore"
                    + " dev.fbf.core.memory.ChronicleWords dev.fbf.core.memory.ForeignWords dev.fbf.core.memory.MappedWords")
            .split(" ", -1);

    /** Their methods that work on files. */
    static final String[] METHODS =
            ("acquire create createDirectory deleteUnfinished discard fillWithZeros force forceName map"
                            + " open protect remove tighten write")
                    .split(" ", -1);

    private static final int POINT = Integer.getInteger(PROPERTY, 0);
    private static final AtomicInteger PASSED = new AtomicInteger();

    private FilePoints() {}

    static AgentBuilder watch(AgentBuilder builder) {
        return POINT == 0
                ? builder
                : builder.type(namedOneOf(TYPES))
                        .transform((type, description, loader, module, domain) ->
                                type.visit(Advice.to(AtBothEnds.class).on(namedOneOf(METHODS))));
    }

    /** A thread is at a moment: if it is the one, the process does not get any further. */
    public static void reached() {
        if (PASSED.incrementAndGet() == POINT) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    /** How many moments there were up to now. */
    public static int passed() {
        return PASSED.get();
    }

    static final class AtBothEnds {
        @Advice.OnMethodEnter
        static void enter() {
            FilePoints.reached();
        }

        @Advice.OnMethodExit
        static void exit() {
            FilePoints.reached();
        }
    }
}
