/** Group commit: the queue of operations, and how their callers wait. Independent of any database. */
@NullMarked
package dev.fbf.core.group;

import org.jspecify.annotations.NullMarked;
