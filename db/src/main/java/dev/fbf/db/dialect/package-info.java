/** The SQL of each kind of database: PostgreSQL's, and the standard one. */
@NullMarked
package dev.fbf.db.dialect;

import org.jspecify.annotations.NullMarked;
