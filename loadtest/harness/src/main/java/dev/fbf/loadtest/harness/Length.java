package dev.fbf.loadtest.harness;

import java.util.Locale;

/** How long a run is. */
public enum Length {
    /** It is left out. */
    NONE,
    /** Just long enough to show that it works. */
    SMOKE,
    /** Long enough to measure. */
    FULL;

    static Length of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
