package dev.fbf.loadtest.torture.agent;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import java.util.List;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/** Knows whether a thread is applying a group of several operations. Called by the instrumented methods. */
public final class AppliedGroup {

    /** What applies groups, in filter and in ledger mode. */
    static final String APPLIERS = "dev.fbf.db.witness.WitnessedGroup dev.fbf.db.dialect.LedgerGroup";

    static final String METHOD = "commit";

    private static final ThreadLocal<Integer> SIZE = ThreadLocal.withInitial(() -> 0);

    private AppliedGroup() {}

    static AgentBuilder watch(AgentBuilder builder) {
        return builder.type(namedOneOf(APPLIERS.split(" ", -1)))
                .transform((type, description, loader, module, domain) ->
                        type.visit(Advice.to(Application.class).on(named(METHOD))));
    }

    public static void begin(int size) {
        SIZE.set(size);
    }

    public static void end() {
        SIZE.remove();
    }

    public static boolean isOfSeveral() {
        return SIZE.get() > 1;
    }

    static final class Application {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(1) List<?> group) {
            AppliedGroup.begin(group.size());
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit() {
            AppliedGroup.end();
        }
    }
}
