/** The interception of annotated methods, and how a call gets its key and its caller. */
@NullMarked
package dev.fbf.spring.method;

import org.jspecify.annotations.NullMarked;
