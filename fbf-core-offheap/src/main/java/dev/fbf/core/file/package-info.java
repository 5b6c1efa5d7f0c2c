/** Files and directories that one process has for itself: permissions, the lock, creation, checks when they are opened. */
@NullMarked
package dev.fbf.core.file;

import org.jspecify.annotations.NullMarked;
