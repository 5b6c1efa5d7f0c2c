package dev.fbf.core.filter;

/**
 * Still to come, with the arenas: a put while the filter grows. One actor puts, the other has a larger arena take over;
 * the arbiter must find the operation for a whole window, wherever it went. To be weakened by a put that does not look
 * again which arena is the newest, and by a growth that stops asking the older arena at once.
 */
final class InsertAgainstGrowth {

    private InsertAgainstGrowth() {}
}
