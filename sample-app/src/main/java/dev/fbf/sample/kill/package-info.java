/** Kills this process's database connections while transactions are being committed. */
@NullMarked
package dev.fbf.sample.kill;

import org.jspecify.annotations.NullMarked;
