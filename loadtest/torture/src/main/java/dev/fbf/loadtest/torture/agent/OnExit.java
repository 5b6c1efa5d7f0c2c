package dev.fbf.loadtest.torture.agent;

import net.bytebuddy.asm.Advice;

/** After a method's body, if it has returned. */
final class OnExit {

    private OnExit() {}

    @Advice.OnMethodExit
    static void exit(@At Step step) {
        Steps.reached(step);
    }
}
