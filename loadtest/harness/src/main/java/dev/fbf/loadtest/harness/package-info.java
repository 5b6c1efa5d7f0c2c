/**
 * What all load tests share.
 *
 * <p>{@link dev.fbf.loadtest.harness.Launch} starts a run in a process of its own, where {@link
 * dev.fbf.loadtest.harness.Runner} reads its {@link dev.fbf.loadtest.harness.Settings}, runs it and writes its {@link
 * dev.fbf.loadtest.harness.Result}.
 */
@NullMarked
package dev.fbf.loadtest.harness;

import org.jspecify.annotations.NullMarked;
