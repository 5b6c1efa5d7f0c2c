package dev.fbf.spring.transaction;

import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.spring.Mode;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A scope that this process has opened.
 *
 * @param retryWindow the time after an operation in which its retries may arrive
 * @param claims returns the number of operations that are being applied or in doubt
 * @param witnessed its claims with its filter; null in ledger mode
 */
public record OpenScope(
        String name,
        Mode mode,
        Duration retryWindow,
        IntSupplier claims,
        @Nullable ScopeClaims witnessed) {}
