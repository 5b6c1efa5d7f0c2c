/** Exclusive access of one process to files and directories: permissions, the lock, creation, validation at open. */
@NullMarked
package dev.fbf.core.file;

import org.jspecify.annotations.NullMarked;
