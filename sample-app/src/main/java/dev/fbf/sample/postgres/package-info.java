/** The PostgreSQL server that the sample app brings along when it is not given another one. */
@NullMarked
package dev.fbf.sample.postgres;

import org.jspecify.annotations.NullMarked;
