/** The application under torture: a Spring Boot service with one guarded counter for each page. */
@NullMarked
package dev.fbf.loadtest.torture.app;

import org.jspecify.annotations.NullMarked;
