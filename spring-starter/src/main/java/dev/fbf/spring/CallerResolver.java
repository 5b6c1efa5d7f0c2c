package dev.fbf.spring;

import org.aopalliance.intercept.MethodInvocation;

/** Finds out who makes a call: the same key of two callers names two operations. */
final class CallerResolver {

    private final Expressions expressions;
    private final Caller authenticated;

    CallerResolver(Expressions expressions, Caller authenticated) {
        this.expressions = expressions;
        this.authenticated = authenticated;
    }

    /** The caller's name, empty for nobody in particular. */
    String resolve(GuardedMethod method, MethodInvocation call) {
        if (method.caller() == null) {
            return authenticated.name();
        }
        Object caller = expressions.evaluate(method.caller(), method, call);
        return caller == null ? "" : caller.toString();
    }
}
