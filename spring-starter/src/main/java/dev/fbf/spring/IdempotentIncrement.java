package dev.fbf.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method that changes SQL counters apply each operation once, however often its request is retried.
 *
 * <p>The method runs in a transaction: it joins the caller's, or gets one of its own. The operation counts as applied
 * when that transaction's COMMIT is known; a rollback frees it for the next try, and an exception passes through
 * unchanged. A retry of an applied operation does not reach the method.
 *
 * <pre>{@code
 * @PostMapping("/pages/{page}/views")
 * @IdempotentIncrement(scope = "page-views", onDuplicate = "currentViews")
 * Views view(@PathVariable String page) {
 *     jdbc.sql("UPDATE page SET views = views + 1 WHERE name = ?").param(page).update();
 *     return currentViews(page);
 * }
 * }</pre>
 *
 * <p>The annotated method belongs to a Spring bean, is neither private nor final nor static, and returns when it is
 * done: a method that returns a future or a publisher is refused at start. Calls from within the same bean are not
 * guarded, as with every Spring annotation of this kind.
 *
 * <p>Isolation, timeout and propagation are those of {@code @Transactional} on the same method. An application's own annotation can carry
 * this one, with {@link org.springframework.core.annotation.AliasFor @AliasFor} for the attributes that it shows.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface IdempotentIncrement {

    /**
     * The family of counters that share one filter: 1 to 200 letters, digits, dots, hyphens or underscores. The same
     * key in two scopes names two operations.
     *
     * @return the scope; empty means the class's full name and the method's name, joined by a dot
     */
    String scope() default "";

    /**
     * Where the idempotency key comes from: a SpEL expression over the method's parameters, such as
     * {@code #operationId} or {@code #order.id}. Its value has a text of its own: an array, a map, a set or an object without
     * {@code toString} is refused. An empty Optional is a missing key. A part of a concatenation that is null is refused.
     *
     * @return the expression; empty means the {@link KeyResolver} bean; without one, the {@code Idempotency-Key} header of the current
     *     HTTP request
     */
    String key() default "";

    /**
     * Who makes the call: a SpEL expression over the method's parameters, such as {@code #tenant}. The same key of two
     * callers names two operations. A caller that is null is nobody in particular; a principal counts by its name.
     *
     * <p>Without an expression, the caller is that of the {@link CallerResolver} bean; without one, it is the authenticated user where Spring Security is present and the key comes from the client:
     * in the header, or to a method of a web controller. The issuer of a token is a part of the name. Elsewhere callers are nobody in particular.
     *
     * @return the expression; empty means the {@link CallerResolver} bean, or the authenticated user
     */
    String caller() default "";

    /**
     * Whether a call must have a key. If not, an HTTP request without the header, or a call whose expression is null,
     * reaches the method unguarded: it is applied as often as it is sent. A key that is there but cannot be read is
     * refused all the same.
     *
     * @return whether a call without a key is refused with an {@link IdempotencyKeyException}
     */
    boolean keyRequired() default true;

    /**
     * How long a call waits while another one is applying the same operation, such as {@code 2s}, {@code 500ms} or
     * {@code ${payments.wait}}. When the other has applied the operation, this call gets the response of a retry; if the other could not,
     * this call applies the operation. In its caller's transaction a call waits too. It does not wait for its own thread.
     *
     * @return the longest wait; empty means none: the call is refused with an {@link OperationInProgressException} at once
     */
    String waitInProgress() default "";

    /**
     * The name of the method that responds to a retry whose first response was not kept, as is the case for all calls that are not HTTP
     * requests. It belongs to the same bean, and has the same parameters and a compatible return type.
     *
     * @return the method's name; if empty, HTTP clients get 204 for such a retry, and other callers of a non-void method get a
     *     {@link DuplicateOperationException}
     */
    String onDuplicate() default "";

    /**
     * Which transactions apply the operations: the bean name or qualifier of the transaction manager of the counters'
     * data source.
     *
     * @return the name; empty means the application's only or primary transaction manager
     */
    String transactionManager() default "";

    /**
     * Promises that the method does nothing but SQL in its transaction: a call that is rolled back leaves no trace. In
     * {@link Mode#LEDGER}, the operation then goes to the ledger together with the first of that SQL, which saves a round
     * trip. A retry that comes to another node may reach the method, is rolled back before any of its SQL is executed,
     * and gets the response of a retry.
     *
     * @return whether the method does nothing else; without effect in {@link Mode#FILTER}, in transactions that a caller
     *     began, and with drivers other than PostgreSQL's own
     */
    boolean sqlOnly() default false;
}
