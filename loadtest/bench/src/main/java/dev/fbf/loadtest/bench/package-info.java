/** What a look into the filter and a put cost, against Guava's Bloom filter. */
@NullMarked
package dev.fbf.loadtest.bench;

import org.jspecify.annotations.NullMarked;
