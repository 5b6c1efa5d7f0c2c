package dev.fbf.spring.web;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.access.WebInvocationPrivilegeEvaluator;

/** Tests what Spring Security permits to requests without a login. */
final class AnonymousAccess implements OpenHandlers.Access {

    private static final Authentication ANYBODY = new AnonymousAuthenticationToken(
            "fbf", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));

    private final Iterable<WebInvocationPrivilegeEvaluator> evaluators;

    AnonymousAccess(Iterable<WebInvocationPrivilegeEvaluator> evaluators) {
        this.evaluators = evaluators;
    }

    /** Returns false where a rule of the application's own needs more of a request than its method and path. */
    @Override
    public boolean permits(String method, String path) {
        try {
            for (WebInvocationPrivilegeEvaluator evaluator : evaluators) {
                if (!evaluator.isAllowed("", path, method, ANYBODY)) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
