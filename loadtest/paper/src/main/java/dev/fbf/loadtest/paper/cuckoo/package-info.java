/**
 * The cuckoo filter family as research code: cuckoo filter, dynamic cuckoo filter, index-independent cuckoo filter (I2CF)
 * and consistent cuckoo filter (CCF), the figures and tables of their paper, and what a CCF costs as a window over
 * operations beside the forgetful filter.
 *
 * <p>Source: Luo, Guo, Rottenstreich, Ma, Luo and Ren, "The Consistent Cuckoo Filter"; sections, algorithms, equations
 * and theorems are that paper's. {@link dev.fbf.loadtest.paper.cuckoo.CuckooReproduction} is where a run begins. Nothing
 * here is thread-safe.
 */
@NullMarked
package dev.fbf.loadtest.paper.cuckoo;

import org.jspecify.annotations.NullMarked;
