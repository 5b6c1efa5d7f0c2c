/** What breaks a rule of the lanes from within. */
@NullMarked
package dev.fbf.cassandra;

import org.jspecify.annotations.NullMarked;
