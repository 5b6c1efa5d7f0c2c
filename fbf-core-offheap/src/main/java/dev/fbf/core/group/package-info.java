/** Operations that are committed in groups: the queue in which they wait, and their callers' waiting. Knows no database. */
@NullMarked
package dev.fbf.core.group;

import org.jspecify.annotations.NullMarked;
