/** The whole system under torture: applications, PostgreSQL, clients, what is done to them, and the verdict. */
@NullMarked
package dev.fbf.loadtest.torture.system;

import org.jspecify.annotations.NullMarked;
