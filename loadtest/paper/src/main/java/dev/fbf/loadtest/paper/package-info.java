/**
 * Repeats the experiments of the paper's section VI (A, B, C and E) in simulated time.
 *
 * <p>{@link dev.fbf.loadtest.paper.PaperReproduction} is where a run begins. The filters are written here once more, as
 * plainly as they can be, so that every m, k, N and t and every rule can be tried.
 */
@NullMarked
package dev.fbf.loadtest.paper;

import org.jspecify.annotations.NullMarked;
