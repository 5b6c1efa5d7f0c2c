/** The forgetful Bloom filter: its arenas, files and directory. */
@NullMarked
package dev.fbf.core.filter;

import org.jspecify.annotations.NullMarked;
