/** What applications type: annotations, interfaces, exceptions and properties of the starter. It depends on no other package of it. */
@NullMarked
package dev.fbf.spring;

import org.jspecify.annotations.NullMarked;
