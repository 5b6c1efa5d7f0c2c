/** The migration of fbf's own tables, and its failures. */
@NullMarked
package dev.fbf.spring.schema;

import org.jspecify.annotations.NullMarked;
