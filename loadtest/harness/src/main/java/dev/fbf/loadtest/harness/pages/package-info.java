/** The figures on the pages of the documentation, which come from the results of full runs. */
@NullMarked
package dev.fbf.loadtest.harness.pages;

import org.jspecify.annotations.NullMarked;
