/** Pages and their views: the two counters and their HTTP API. */
@NullMarked
package dev.fbf.sample.page;

import org.jspecify.annotations.NullMarked;
