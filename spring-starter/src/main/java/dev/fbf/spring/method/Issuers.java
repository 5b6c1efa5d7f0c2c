package dev.fbf.spring.method;

import org.jspecify.annotations.Nullable;

/** Knows the issuers of names that are unique within their issuer only, such as the subject of a token. */
@FunctionalInterface
interface Issuers {

    /**
     * Returns the issuer of a principal's name.
     *
     * @param principal an authentication, or the principal of one
     * @return empty if the name is that of a token whose issuer is not known; null if the name is the application's own
     */
    @Nullable String of(Object principal);
}
