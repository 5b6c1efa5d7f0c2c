package dev.fbf.loadtest.paper.cuckoo;

/** A set of elements, represented approximately: it has false positives, and no false negatives. */
interface DynamicSet {

    /** Adds an element, as often as it is called; returns whether there was room. */
    boolean insert(long element);

    boolean contains(long element);

    /**
     * Removes an element once.
     *
     * @param element one that was inserted; to delete another one may remove what has the same fingerprint
     * @return whether it was found
     */
    boolean delete(long element);

    /** How many elements are stored. */
    int size();

    /** How many buckets there are, in all filters. */
    int buckets();

    /** How many slots there are, in all filters. */
    long slots();

    /** s: how many filters there are. */
    int filters();

    /** The part of the slots that have an entry. */
    default double utilization() {
        return (double) size() / slots();
    }
}
