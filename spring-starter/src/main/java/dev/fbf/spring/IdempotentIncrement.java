package dev.fbf.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method that changes SQL counters apply each operation once, however often its request is retried.
 *
 * <p>The method runs in a transaction: the caller's, or a new one. The operation counts as applied when that transaction's COMMIT is known;
 * a rollback frees it for the next attempt. A retry of an applied operation does not reach the method, except as {@link #sqlOnly()} states.
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
 * <p>The annotated method belongs to a Spring bean, is neither private nor final nor static, and returns when its work is done: a method
 * that returns a future or a publisher is refused at startup. Calls from within the same bean are not guarded, as with every Spring
 * annotation of this kind.
 *
 * <p>Isolation, timeout and propagation are those of {@code @Transactional} on the same method. An application's own annotation can carry
 * this one, with {@link org.springframework.core.annotation.AliasFor @AliasFor} for the attributes that it exposes.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface IdempotentIncrement {

    /**
     * The scope of the operations, which share a retry window and a filter: 1 to 200 letters, digits, dots, hyphens or underscores. The
     * same key in two scopes names two operations.
     *
     * @return the scope; empty means the class's full name and the method's name, joined by a dot
     */
    String scope() default "";

    /**
     * The idempotency key: a SpEL expression over the method's parameters, such as {@code #operationId} or {@code #order.id}. Its value
     * is a string, a number, a UUID, an enum, a date or another simple value, an {@link IdempotencyKey}, or a list of those; other types are
     * refused. An empty Optional is a missing key.
     *
     * <p>The parts of a list, such as <code>{#order.id, #line}</code>, are joined with their lengths: different parts are different keys. A
     * null part is refused, and so is a concatenation, whose parts would run together.
     *
     * @return the expression; empty means the {@code Idempotency-Key} header of the current HTTP request
     */
    String key() default "";

    /**
     * The caller: a SpEL expression over the method's parameters, such as {@code #tenant}. The same key of two callers names two
     * operations. Values become text as keys do; a principal is identified by its name. Null stands for no particular caller, and is refused
     * if a user is authenticated: with {@code ''}, all users are the same caller.
     *
     * <p>Without an expression, the {@link CallerResolver} bean decides. Without that bean, the caller is the authenticated user if Spring
     * Security is present and the key comes from the client: in the header, or as an argument of a controller's method. The {@link
     * IdempotencyKey} of a request keeps its caller in other methods too. The issuer of a token is part of the user's name. All other calls
     * have no particular caller.
     *
     * @return the expression; empty means the {@link CallerResolver} bean, or the authenticated user
     */
    String caller() default "";

    /**
     * Whether a call must have a key. If not, an HTTP request without the header, or a call whose expression is null,
     * reaches the method unguarded and is applied as often as it is sent. An unreadable key is still refused.
     *
     * @return whether a call without a key is refused with an {@link IdempotencyKeyException}
     */
    boolean keyRequired() default true;

    /**
     * The longest wait of a call while another call is applying the same operation, such as {@code 2s}, {@code 500ms} or {@code
     * ${payments.wait}}. If the other call succeeds, this one gets the response to a retry; if it fails, this one applies the
     * operation. Calls within their caller's transaction wait too, but never for their own thread.
     *
     * @return the longest wait; empty means no wait within a request, which is refused with an {@link OperationInProgressException}, and 30
     *     seconds outside of requests, where a job or a listener might not try again
     */
    String waitInProgress() default "";

    /**
     * The time for which operations of the scope are remembered, from 1 second to 365 days, such as {@code 32d} or {@code
     * ${invoices.window}}: longer than a message, job or client can take to repeat its operation. The property {@code
     * fbf.scopes.<scope>.retry-window} overrides it. All that share a scope share its window.
     *
     * @return the window; empty means {@code fbf.retry-window}
     */
    String retryWindow() default "";

    /**
     * The name of the method that responds to a retry if the first response was not kept; only responses of request handlers are kept. It
     * belongs to the same bean, and has the same parameters and a compatible return type.
     *
     * @return the method's name; if empty, HTTP clients get 204 for such a retry, and other callers of a non-void method get a {@link
     *     DuplicateOperationException}
     */
    String onDuplicate() default "";

    /**
     * The transaction manager of the counters' data source: its bean name or qualifier.
     *
     * @return the name; empty means the application's only or primary transaction manager, or the only one with a data source
     */
    String transactionManager() default "";

    /**
     * Promises that the method only executes SQL in its transaction, so that a rolled-back call leaves no trace. In {@link Mode#LEDGER}
     * on PostgreSQL, the operation is then entered in the ledger after the method's SQL, in one message with COMMIT, which saves a round trip. A retry on
     * another node may run the method; its SQL is rolled back, and it gets the response to a retry. So it does if the method fails because
     * the operation was applied before.
     *
     * @return whether the method only executes SQL; without effect in {@link Mode#FILTER}, and in transactions that a caller began. With
     *     JPA's transaction managers, COMMIT is sent apart
     */
    boolean sqlOnly() default false;
}
