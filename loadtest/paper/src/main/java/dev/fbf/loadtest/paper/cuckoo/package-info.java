/**
 * The cuckoo filter family as research code: cuckoo filter, dynamic cuckoo filter, index-independent cuckoo filter (I2CF)
 * and consistent cuckoo filter (CCF), and the figures 4 and 5 and table I of their paper. Its table II, figure 3 and theorems are
 * repeated by tests.
 *
 * <p>Source: Luo, Guo, Rottenstreich, Ma, Luo and Ren, "The Consistent Cuckoo Filter"; sections, algorithms, equations
 * and theorems are that paper's. {@link dev.fbf.loadtest.paper.cuckoo.CuckooReproduction} is where a run begins. Nothing
 * here is thread-safe.
 */
@NullMarked
package dev.fbf.loadtest.paper.cuckoo;

import org.jspecify.annotations.NullMarked;
