package dev.fbf.loadtest.capacity;

import dev.fbf.loadtest.Endpoint;
import java.util.List;

/**
 * A way to count views.
 *
 * @param mode of the app, as in {@code fbf.mode}
 */
record Contender(String mode, Endpoint endpoint) {

    static final Contender UNGUARDED = new Contender("filter", Endpoint.UNGUARDED);
    static final Contender GROUPED = new Contender("filter", Endpoint.GROUPED);

    static final List<Contender> ALL = List.of(
            UNGUARDED,
            new Contender("filter", Endpoint.GUARDED),
            GROUPED,
            new Contender("ledger", Endpoint.GUARDED),
            new Contender("ledger", Endpoint.GROUPED));

    String page() {
        return "capacity-" + mode;
    }

    @Override
    public String toString() {
        return endpoint.isExact() ? endpoint + ", " + mode : endpoint.toString();
    }
}
