package dev.fbf.spring.web;

import org.springframework.aop.Pointcut;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationAdvisor;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.access.WebInvocationPrivilegeEvaluator;
import org.springframework.web.method.HandlerMethod;

/** Access that Spring Security grants to requests without a login. */
final class AnonymousAccess {

    private static final Authentication ANYBODY = new AnonymousAuthenticationToken(
            "fbf", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));

    private final Iterable<WebInvocationPrivilegeEvaluator> evaluators;
    private final Iterable<AuthorizationAdvisor> ofMethods;

    /**
     * @param evaluators the rules for paths
     * @param ofMethods the rules for methods, if they are enabled
     */
    AnonymousAccess(Iterable<WebInvocationPrivilegeEvaluator> evaluators, Iterable<AuthorizationAdvisor> ofMethods) {
        this.evaluators = evaluators;
        this.ofMethods = ofMethods;
    }

    /** Returns whether security annotations apply to a handler. */
    boolean hasRulesOf(HandlerMethod handler) {
        for (AuthorizationAdvisor advisor : ofMethods) {
            Pointcut pointcut = advisor.getPointcut();
            if (pointcut.getClassFilter().matches(handler.getBeanType())
                    && pointcut.getMethodMatcher().matches(handler.getMethod(), handler.getBeanType())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a request needs no login; false also if a rule cannot be evaluated with only a method and a path. */
    boolean permits(String method, String path) {
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
