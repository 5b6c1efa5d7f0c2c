/** Operations in transactions of a database: databases, connections, counters, and the lifecycle of this node. */
@NullMarked
package dev.fbf.spring.transaction;

import org.jspecify.annotations.NullMarked;
