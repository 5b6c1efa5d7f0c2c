package dev.fbf.spring.method;

import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Operand of a concatenation that must not be null. SpEL converts null to the text "null", so all calls without a value would be one
 * operation, or all callers without a value one caller.
 */
final class ConcatenatedPart extends SpelNodeImpl {

    private final SpelNodeImpl operand;
    private final String scope;
    private final String attribute;

    private ConcatenatedPart(SpelNodeImpl operand, String scope, String attribute) {
        super(operand.getStartPosition(), operand.getEndPosition(), operand);
        this.operand = operand;
        this.scope = scope;
        this.attribute = attribute;
    }

    /** Returns an equivalent expression that refuses operands of concatenations that are null or have no stable text. */
    static SpelExpression requireAll(SpelExpression expression, String scope, String attribute) {
        String text = expression.getExpressionString();
        return new SpelExpression(
                text,
                requireAll((SpelNodeImpl) expression.getAST(), scope, attribute + "=" + text),
                new SpelParserConfiguration());
    }

    private static SpelNodeImpl requireAll(SpelNodeImpl node, String scope, String attribute) {
        boolean concatenation = node instanceof OpPlus && node.getChildCount() == 2;
        if (!concatenation && !(node instanceof Ternary) && !(node instanceof Elvis)) {
            return node;
        }
        SpelNodeImpl[] parts = new SpelNodeImpl[node.getChildCount()];
        for (int i = 0; i < parts.length; i++) {
            SpelNodeImpl part = requireAll((SpelNodeImpl) node.getChild(i), scope, attribute);
            parts[i] = concatenation ? new ConcatenatedPart(part, scope, attribute) : part;
        }
        int start = node.getStartPosition();
        int end = node.getEndPosition();
        if (concatenation) {
            return new OpPlus(start, end, parts);
        }
        return node instanceof Ternary ? new Ternary(start, end, parts) : new Elvis(start, end, parts);
    }

    @Override
    public TypedValue getValueInternal(ExpressionState state) {
        TypedValue value = operand.getValueInternal(state);
        Object part = KeyValue.unwrap(value.getValue());
        if (part == null) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    scope,
                    attribute + ": the part " + toStringAST()
                            + " is null, so calls without it could not be distinguished. The operation was not applied."
                            + " If the part may be missing, write an expression for that case, such as "
                            + toStringAST() + " == null ? null : …",
                    "A part of the request's idempotency key, or of its caller, is missing.");
        }
        if (!part.getClass().isArray()) { // SpEL writes an array's elements
            KeyValue.textOf(part, attribute);
        }
        return value;
    }

    @Override
    public String toStringAST() {
        return operand.toStringAST();
    }
}
