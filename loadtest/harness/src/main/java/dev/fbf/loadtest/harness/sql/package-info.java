/** Database servers that can be killed, whatever their product, and MariaDB's. */
@NullMarked
package dev.fbf.loadtest.harness.sql;

import org.jspecify.annotations.NullMarked;
