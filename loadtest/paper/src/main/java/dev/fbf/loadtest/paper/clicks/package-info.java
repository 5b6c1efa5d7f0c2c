/**
 * Compares the forgetful Bloom filter with its peers at one task: to find the duplicates of a stream of clicks.
 *
 * <p>{@link dev.fbf.loadtest.paper.clicks.ClickStreams} is where a run begins. {@link
 * dev.fbf.loadtest.paper.clicks.ClickStream} is generated, so that it is known which clicks are duplicates; each {@link
 * dev.fbf.loadtest.paper.clicks.Contender} decides of each click whether it is one.
 */
@NullMarked
package dev.fbf.loadtest.paper.clicks;

import org.jspecify.annotations.NullMarked;
