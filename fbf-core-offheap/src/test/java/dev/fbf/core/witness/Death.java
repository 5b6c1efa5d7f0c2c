package dev.fbf.core.witness;

/** The end of a process, wherever it was: nothing may catch it. */
public final class Death extends Error {

    private static final long serialVersionUID = 1L;

    public Death() {
        super("the process dies here", null, false, false);
    }
}
