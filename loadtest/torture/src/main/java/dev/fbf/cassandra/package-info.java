/** What the torture has to see of the lanes. */
@NullMarked
package dev.fbf.cassandra;

import org.jspecify.annotations.NullMarked;
