package dev.fbf.loadtest.torture.situations;

import java.util.concurrent.ThreadLocalRandom;

/** A failure that a situation has now and then. */
final class OnPurpose extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final double SHARE = 0.2;

    private OnPurpose() {
        super("on purpose", null, false, false);
    }

    static boolean sometimes() {
        return ThreadLocalRandom.current().nextDouble() < SHARE;
    }

    static void fail() {
        throw new OnPurpose();
    }

    static void failSometimes() {
        if (sometimes()) {
            fail();
        }
    }

    /** Makes a call that throws this. That it does not is seen in the database. */
    static void ignore(Class<? extends RuntimeException> thrown, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            if (!thrown.isInstance(e)) {
                throw e;
            }
        }
    }
}
