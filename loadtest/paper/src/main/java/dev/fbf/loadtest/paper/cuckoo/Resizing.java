package dev.fbf.loadtest.paper.cuckoo;

/** How a CCF is resized (section III-D). */
enum Resizing {
    /** CCF_B of section V-A: scale up and scale down. */
    BUCKETS,
    /** CCF_F of section V-A: scale out and compact. */
    FILTERS,
    /** Scale out up to the largest number of filters, and scale up from there; compact, or else scale down. */
    BOTH
}
