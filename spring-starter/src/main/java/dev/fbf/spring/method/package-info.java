/** Guards annotated methods: what is put around their calls, and where a call has its key and its caller. */
@NullMarked
package dev.fbf.spring.method;

import org.jspecify.annotations.NullMarked;
