/** A PostgreSQL server that can be killed: as a whole, or one backend of it. */
@NullMarked
package dev.fbf.loadtest.harness.postgres;

import org.jspecify.annotations.NullMarked;
