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
 * operation, or all callers without a value one caller. Has the text that its value has as a key or caller.
 */
final class ConcatenatedPart extends SpelNodeImpl {

    private final SpelNodeImpl operand;

    private ConcatenatedPart(SpelNodeImpl operand) {
        super(operand.getStartPosition(), operand.getEndPosition(), operand);
        this.operand = operand;
    }

    /** Returns an equivalent expression that refuses operands of concatenations that are null or have no stable text. */
    static SpelExpression requireAll(SpelExpression expression) {
        return new SpelExpression(
                expression.getExpressionString(),
                requireAll((SpelNodeImpl) expression.getAST()),
                new SpelParserConfiguration());
    }

    private static SpelNodeImpl requireAll(SpelNodeImpl node) {
        boolean concatenation = node instanceof OpPlus && node.getChildCount() == 2;
        if (!concatenation && !(node instanceof Ternary) && !(node instanceof Elvis)) {
            return node;
        }
        SpelNodeImpl[] parts = new SpelNodeImpl[node.getChildCount()];
        for (int i = 0; i < parts.length; i++) {
            SpelNodeImpl part = requireAll((SpelNodeImpl) node.getChild(i));
            parts[i] = concatenation ? new ConcatenatedPart(part) : part;
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
        ValueText text = ValueText.in(state.getEvaluationContext());
        Object part = KeyValue.unwrap(operand.getValueInternal(state).getValue());
        if (part == null) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    text.scope,
                    text.place() + ": the part " + toStringAST()
                            + " is null, so calls without it could not be distinguished. The operation was not applied."
                            + " If the part may be missing, write an expression for that case, such as "
                            + toStringAST() + " == null ? null : …",
                    "A part of the request's idempotency key, or of its caller, is missing.");
        }
        if (part instanceof Number) { // the operand of a sum
            return new TypedValue(part);
        }
        return new TypedValue(text.of(part));
    }

    @Override
    public String toStringAST() {
        return operand.toStringAST();
    }
}
