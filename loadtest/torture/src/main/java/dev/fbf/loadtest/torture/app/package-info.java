/** The application under torture: a Spring Boot service with a guarded counter for each page, and others that are committed in groups. */
@NullMarked
package dev.fbf.loadtest.torture.app;

import org.jspecify.annotations.NullMarked;
