/** The nodes that apply operations of the same scopes, and their clocks. */
@NullMarked
package dev.fbf.db.node;

import org.jspecify.annotations.NullMarked;
