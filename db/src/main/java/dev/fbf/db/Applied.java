package dev.fbf.db;

import dev.fbf.db.dialect.Response;
import org.jspecify.annotations.Nullable;

/**
 * An applied operation, as the ledger has it.
 *
 * @param fingerprint its request's fingerprint; null if requests were not compared
 * @param response its response, or the marker that it is not kept; null if neither was found
 * @param isAwaited whether the response may be written soon
 */
public record Applied(@Nullable Long fingerprint, @Nullable Response response, boolean isAwaited) {}
