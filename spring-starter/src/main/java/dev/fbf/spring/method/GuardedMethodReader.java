package dev.fbf.spring.method;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.StartException;
import dev.fbf.spring.operation.UnfinishedResults;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.event.EventListener;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reader of methods' annotations, which refuses unusable ones at startup, before the first request fails. */
final class GuardedMethodReader {

    /** Type of a suspending function's last parameter. */
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    /** Names of annotations in Spring's web module, which is optional. */
    private static final List<String> REQUEST_MAPPINGS = List.of(
            "org.springframework.web.bind.annotation.RequestMapping",
            "org.springframework.web.service.annotation.HttpExchange");

    /** Names of annotations in Spring Security, which is optional. */
    private static final List<String> AFTER_ADVICE = List.of(
            "org.springframework.security.access.prepost.PostAuthorize",
            "org.springframework.security.access.prepost.PostFilter",
            "org.springframework.security.authorization.method.AuthorizeReturnObject");

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    /** Variables of SpEL itself. */
    private static final Set<String> IMPLICIT = Set.of("#root", "#this");

    private final SpelExpressionParser parser = new SpelExpressionParser();

    private final TransactionAttributeSource annotated = new AnnotationTransactionAttributeSource(false);

    private final ConfigurableListableBeanFactory beans;

    /** @param beans provides the resolver, and the values of placeholders */
    GuardedMethodReader(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** @param declared the source of the attributes of the bean's transactions; null for the annotations alone */
    GuardedMethod read(
            Class<?> beanClass,
            Method method,
            IdempotentIncrement annotation,
            @Nullable TransactionAttributeSource declared) {
        requireInterceptable(method);
        requireFinishedWhenItReturns(beanClass, method);
        requireSynchronous(beanClass, method);
        String scope = scope(beanClass, method, annotation);
        Expression key = expression(method, "key", annotation.key(), "#operationId");
        Expression caller = expression(method, "caller", annotation.caller(), "#tenant");
        TransactionAttribute transaction =
                Objects.requireNonNullElse(declared, annotated).getTransactionAttribute(method, beanClass);
        requireOneTransaction(method, transaction);
        boolean servesClients = AnnotatedElementUtils.hasAnnotation(beanClass, Controller.class)
                && !AnnotatedElementUtils.hasAnnotation(method, EventListener.class)
                && !AnnotatedElementUtils.hasAnnotation(method, Scheduled.class);
        // must not create beans, because methods are read while beans are created
        boolean isResolved = caller == null
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CallerResolver.class, true, false).length
                        > 0;
        // Two users can send the same key, so the login distinguishes them. Outside of controllers, a key from the
        // application names one operation regardless of the login, because a redelivery has no login. The key of a
        // request keeps its caller: see OperationResolver.
        boolean belongsToLogin = caller == null && !isResolved && (key == null || servesClients);
        Method onDuplicate = onDuplicate(beanClass, method, annotation);
        boolean handlesRequests = servesClients && isHandler(method);
        boolean isResultSecured = isResultSecured(beanClass, method);
        if (handlesRequests && isResultSecured && onDuplicate == null) {
            throw securedResult(method, "Name an onDuplicate method, on whose result security decides, too.");
        }
        return new GuardedMethod(
                method,
                new OperationSettings(
                        OperationSettings.declaredBy(method),
                        scope,
                        transactionManager(method, annotation, transaction),
                        duration(method, "waitInProgress", annotation.waitInProgress(), OperationSettings::requireWait),
                        duration(method, "retryWindow", annotation.retryWindow(), OperationSettings::requireWindow),
                        annotation.sqlOnly(),
                        key == null),
                key,
                caller,
                isResolved,
                belongsToLogin,
                annotation.keyRequired(),
                onDuplicate,
                handlesRequests,
                handlesRequests && !isResultSecured);
    }

    /**
     * Finds the handlers of a controller that take the key of their request as an argument.
     *
     * @throws StartException if one of them returns before its work is done, or security decides on its result
     */
    Set<Method> takingKeys(Class<?> controller) {
        Set<Method> handlers = MethodIntrospector.selectMethods(
                controller, (ReflectionUtils.MethodFilter) method -> takesKey(method) && isHandler(method));
        for (Method handler : handlers) {
            requireFinishedWhenItReturns(controller, handler);
            if (isResultSecured(controller, handler)) {
                throw securedResult(
                        handler,
                        "In place of the argument, annotate the handler with @IdempotentIncrement, and name an onDuplicate"
                                + " method.");
            }
        }
        return handlers;
    }

    private static StartException securedResult(Method method, String action) {
        return new StartException(
                method,
                "security decides on its result, by @PostAuthorize, @PostFilter or @AuthorizeReturnObject, and would not decide"
                        + " on a replay of its response.",
                action);
    }

    /** Returns whether advice of Spring Security decides on a method's result, after the call. */
    private static boolean isResultSecured(Class<?> beanClass, Method method) {
        return Stream.of(method, beanClass).anyMatch(element -> isAnnotated(element, AFTER_ADVICE));
    }

    private static boolean takesKey(Method method) {
        return Stream.of(method.getParameters())
                .map(MethodParameter::forParameter)
                .anyMatch(GuardedMethods::isKeyOfRequest);
    }

    private static boolean isHandler(Method method) {
        return isAnnotated(method, REQUEST_MAPPINGS);
    }

    private static boolean isAnnotated(AnnotatedElement element, List<String> names) {
        MergedAnnotations annotations =
                MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY);
        return names.stream().anyMatch(annotations::isPresent);
    }

    private static void requireInterceptable(Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isFinal(modifiers) || Modifier.isStatic(modifiers)) {
            throw new StartException(
                    method,
                    "a private, final or static method cannot be intercepted, so it would not be guarded.",
                    "Make the method overridable (in Kotlin, with the plugin kotlin-spring), or annotate a method of another"
                            + " bean that calls it.");
        }
    }

    private static void requireFinishedWhenItReturns(Class<?> beanClass, Method method) {
        String because = whyUnfinished(beanClass, method);
        if (because != null) {
            throw new StartException(
                    method,
                    because + ", so it would be over before its work is.",
                    "Return the result itself; virtual threads make waiting cheap.");
        }
    }

    /** Returns the reason why a method returns before its work is done; null if it does not. */
    private static @Nullable String whyUnfinished(Class<?> beanClass, Method method) {
        Class<?> unfinished = UnfinishedResults.in(ResolvableType.forMethodReturnType(method, beanClass));
        if (unfinished != null) {
            return "it returns a " + unfinished.getSimpleName();
        }
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                        && parameters[parameters.length - 1].getName().equals(CONTINUATION)
                ? "it is a suspending function of Kotlin"
                : null;
    }

    /** Refuses methods that AspectJ makes asynchronous: the guard cannot run inside such advice. */
    private void requireSynchronous(Class<?> beanClass, Method method) {
        if (beans.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)
                && Stream.of(method, beanClass)
                        .anyMatch(its -> AnnotatedElementUtils.hasAnnotation(its, Async.class))) {
            throw new StartException(
                    method,
                    "it is @Async in AspectJ mode, so it would return to the guard before its work is done.",
                    "Use @EnableAsync(mode = AdviceMode.PROXY), or let the asynchronous method call a guarded one of another"
                            + " bean.");
        }
    }

    private static void requireOneTransaction(Method method, @Nullable TransactionAttribute transaction) {
        if (transaction == null) {
            return;
        }
        if (transaction.isReadOnly()) {
            throw new StartException(
                    method,
                    "its transaction is read-only, by @Transactional(readOnly = true) on the method or its class, so it could not"
                            + " record the operation.",
                    "Annotate the method itself with @Transactional.");
        }
        int propagation = transaction.getPropagationBehavior();
        if (propagation != TransactionDefinition.PROPAGATION_REQUIRED
                && propagation != TransactionDefinition.PROPAGATION_MANDATORY) {
            throw new StartException(
                    method,
                    "the propagation of its transaction is neither REQUIRED nor MANDATORY, so a caller's transaction would not decide on"
                            + " the operation.",
                    "Use @Transactional without propagation. For a separate transaction, call the method in a"
                            + " TransactionTemplate with PROPAGATION_REQUIRES_NEW, or from a listener whose own method has"
                            + " that propagation.");
        }
    }

    /** Returns the manager's name, which the annotations may give twice; empty if they do not give it. */
    private static String transactionManager(
            Method method, IdempotentIncrement annotation, @Nullable TransactionAttribute transaction) {
        String own = annotation.transactionManager();
        String qualifier = transaction == null ? null : transaction.getQualifier();
        if (qualifier == null || qualifier.isEmpty()) {
            return own;
        }
        if (!own.isEmpty() && !own.equals(qualifier)) {
            throw new StartException(
                    method,
                    "transactionManager=" + own + ", but its transaction is of the manager " + qualifier
                            + ", so the operation would not be part of it.",
                    "Name the manager only in @Transactional.");
        }
        return qualifier;
    }

    /** Returns the duration that an attribute states; null if it states none. */
    private @Nullable Duration duration(Method method, String attribute, String text, UnaryOperator<Duration> check) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return check.apply(DurationFormatterUtils.detectAndParse(
                    Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), "")));
        } catch (IllegalArgumentException e) {
            throw new StartException(
                    method,
                    attribute + "=" + text + " cannot be used: " + e.getMessage() + ".",
                    "Write a duration such as 2s, 32d or ${payments." + attribute
                            + "}, with that property set; or leave the attribute out.");
        }
    }

    private static String scope(Class<?> beanClass, Method method, IdempotentIncrement annotation) {
        try {
            return OperationSettings.requireScope(
                    annotation.scope().isEmpty()
                            ? ClassUtils.getQualifiedMethodName(method, beanClass)
                                    .replace('$', '.')
                            : annotation.scope());
        } catch (IllegalArgumentException e) {
            throw new StartException(method, e.getMessage() + ".", "Name the scope with scope = \"…\".");
        }
    }

    private @Nullable Expression expression(Method method, String attribute, String text, String example) {
        if (text.isEmpty()) {
            return null;
        }
        SpelExpression expression;
        try {
            expression = parser.parseRaw(text);
        } catch (ParseException e) {
            throw new StartException(
                    method,
                    attribute + "=" + text + " is not a SpEL expression: " + e.getMessage() + ".",
                    "Write an expression over the parameters, such as " + example + ".");
        }
        if (nodes(expression.getAST()).anyMatch(node -> node instanceof OpPlus && node.getChildCount() == 2)) {
            throw new StartException(
                    method,
                    attribute + "=" + text
                            + ": a concatenation runs its parts together, and makes a text of null, so different"
                            + " operations or callers could be one.",
                    "Write a list of the parts, such as {'ship', " + example + "}.");
        }
        requireKnownVariables(expression, method, attribute);
        return expression;
    }

    /**
     * Refuses unknown variables, which SpEL evaluates as null: a misspelled key would be missing in every call, and a misspelled caller would
     * make all callers one.
     */
    private static void requireKnownVariables(SpelExpression expression, Method method, String attribute) {
        @Nullable String @Nullable [] names = PARAMETER_NAMES.getParameterNames(method);
        Set<String> known = new LinkedHashSet<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.addAll(names == null ? List.of("#p" + i, "#a" + i) : List.of("#" + names[i], "#p" + i, "#a" + i));
        }
        nodes(expression.getAST())
                .filter(VariableReference.class::isInstance)
                .map(SpelNode::toStringAST)
                .filter(variable -> !known.contains(variable) && !IMPLICIT.contains(variable))
                .findFirst()
                .ifPresent(unknown -> {
                    throw new StartException(
                            method,
                            attribute + "=" + expression.getExpressionString() + ": the method has no parameter "
                                    + unknown + ".",
                            "It has " + (known.isEmpty() ? "no parameter" : String.join(", ", known))
                                    + ". Names of parameters need javac's option -parameters.");
                });
    }

    private static Stream<SpelNode> nodes(SpelNode node) {
        Stream<SpelNode> below = IntStream.range(0, node.getChildCount())
                .mapToObj(node::getChild)
                .flatMap(child -> nodes(child));
        return Stream.concat(Stream.of(node), below);
    }

    private static @Nullable Method onDuplicate(Class<?> beanClass, Method method, IdempotentIncrement annotation) {
        String name = annotation.onDuplicate();
        if (name.isEmpty()) {
            return null;
        }
        Method found = ReflectionUtils.findMethod(beanClass, name, method.getParameterTypes());
        if (found == null
                || !(method.getReturnType() == void.class
                        || ClassUtils.isAssignable(method.getReturnType(), found.getReturnType()))
                || AnnotatedElementUtils.hasAnnotation(found, IdempotentIncrement.class)) {
            throw new StartException(
                    method,
                    "onDuplicate=" + name
                            + " names no method of its bean with the same parameters and a compatible return type.",
                    "Add this method to " + beanClass.getName() + ", without @IdempotentIncrement: "
                            + method.toGenericString().replace(method.getName() + "(", name + "("));
        }
        ReflectionUtils.makeAccessible(found);
        return found;
    }
}
