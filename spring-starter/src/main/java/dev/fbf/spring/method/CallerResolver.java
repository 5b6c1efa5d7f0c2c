package dev.fbf.spring.method;

import dev.fbf.spring.declaration.GuardedMethod;
import org.aopalliance.intercept.MethodInvocation;

/** Finds out who makes a call: the same key of two callers names two operations. */
public final class CallerResolver {

    private final Expressions expressions;
    private final Caller authenticated;

    CallerResolver(Expressions expressions, Caller authenticated) {
        this.expressions = expressions;
        this.authenticated = authenticated;
    }

    /** Whose key a call's key is, in words. */
    public String owner(GuardedMethod method) {
        if (method.caller() != null) {
            return "the caller, as the application tells them apart";
        }
        return authenticated == Caller.ANYBODY ? "nobody in particular" : "the authenticated user";
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
