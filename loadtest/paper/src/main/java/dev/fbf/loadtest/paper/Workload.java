package dev.fbf.loadtest.paper;

/** How many operations have come by a time. */
@FunctionalInterface
interface Workload {

    /** Grows with time; operations come whenever it passes a whole number. */
    double operationsBy(double seconds);

    static Workload steady(double perSecond) {
        return seconds -> perSecond * seconds;
    }

    /** The rate grows by as much in every second. */
    static Workload linear(double perSecond, double growthPerSecond) {
        return seconds -> perSecond * seconds + growthPerSecond * seconds * seconds / 2;
    }

    /** The rate doubles again and again. */
    static Workload doubling(double perSecond, double everySeconds) {
        double growth = Math.log(2) / everySeconds;
        return seconds -> perSecond * Math.expm1(growth * seconds) / growth;
    }
}
