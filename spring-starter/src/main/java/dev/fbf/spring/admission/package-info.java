/** The interfaces through which the executor admits and applies operations, in SQL transactions or in the lanes of Cassandra. */
@NullMarked
package dev.fbf.spring.admission;

import org.jspecify.annotations.NullMarked;
