package dev.fbf.loadtest;

/** The parts of a run, one after the other; each counts the views of a page of its own. */
enum Phase {
    /** Lets both JVMs and the database reach their speed. Its results are thrown away. */
    WARM_UP("warm-up"),
    /** Each operation is sent once over a good network: what does the guard cost? */
    NO_FAULTS("no-faults"),
    /** Lost responses, impatient clients and retries: is the counter still exact? */
    FAULTS("faults");

    private final String page;

    Phase(String page) {
        this.page = page;
    }

    String page() {
        return page;
    }

    @Override
    public String toString() {
        return page;
    }
}
