/** fbf's own tables: who makes them, and what is wrong where there are none. */
@NullMarked
package dev.fbf.spring.schema;

import org.jspecify.annotations.NullMarked;
