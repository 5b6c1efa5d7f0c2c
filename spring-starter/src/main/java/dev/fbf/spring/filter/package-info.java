/** Filter mode: its directory, its databases with a witness, its status and meters. Applications in ledger mode load none of it. */
@NullMarked
package dev.fbf.spring.filter;

import org.jspecify.annotations.NullMarked;
