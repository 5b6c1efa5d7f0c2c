/** What the guard costs a transaction, against the same transaction without it and against one that stores its key. */
@NullMarked
package dev.fbf.loadtest.bench.guard;

import org.jspecify.annotations.NullMarked;
