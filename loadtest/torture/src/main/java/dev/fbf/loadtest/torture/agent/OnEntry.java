package dev.fbf.loadtest.torture.agent;

import net.bytebuddy.asm.Advice;

/** Before a method's body. */
final class OnEntry {

    private OnEntry() {}

    @Advice.OnMethodEnter
    static void enter(@At Step step) {
        Steps.reached(step);
    }
}
