/** How often a forgetful Bloom filter is wrong: the paper's equations, corrected. */
@NullMarked
package dev.fbf.core.model;

import org.jspecify.annotations.NullMarked;
