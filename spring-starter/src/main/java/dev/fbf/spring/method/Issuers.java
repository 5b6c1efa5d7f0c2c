package dev.fbf.spring.method;

import org.jspecify.annotations.Nullable;

/** Resolver of the issuer of a name that is unique only within its issuer, such as the subject of a token. */
@FunctionalInterface
interface Issuers {

    /**
     * Returns the issuer of a principal's name.
     *
     * @param principal an authentication, or its principal
     * @return the issuer; empty if the name comes from a token without an issuer; null if the application issued the name
     */
    @Nullable String of(Object principal);
}
