/** The leases of nodes in filter mode, of which one at a time applies the operations of a scope. */
@NullMarked
package dev.fbf.db.node;

import org.jspecify.annotations.NullMarked;
