/** Tests of the pages: their code, their commands, their links and their prose. */
@NullMarked
package dev.fbf.docs;

import org.jspecify.annotations.NullMarked;
