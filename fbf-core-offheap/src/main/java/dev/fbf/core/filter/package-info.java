/** The forgetful Bloom filter: its plan, its files, its directory. */
@NullMarked
package dev.fbf.core.filter;

import org.jspecify.annotations.NullMarked;
