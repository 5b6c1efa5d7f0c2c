package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Modifier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/** What a caller of a guarded method can learn from the exception that it catches. */
class OperationRefusedExceptionTest {

    private static final String NONE = "APPLIED|PENDING|KEYLESS|FAILED";

    private static OperationRefusedException refusal(OperationOutcome reason) {
        return OperationRefusedException.of(
                reason, "payments", "the bank is closed (bank.open)", "The bank is closed.");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = NONE)
    void knowsItsReasonAndScopeAndWhetherARetryIsWorthwhile(OperationOutcome reason) {
        OperationRefusedException refusal = refusal(reason);
        Class<?> type = switch (reason) {
            case KEY_INVALID, KEY_TIME, KEY_TOO_OLD, KEY_REUSED -> IdempotencyKeyException.class;
            case REPLAYED -> DuplicateOperationException.class;
            case IN_PROGRESS -> OperationInProgressException.class;
            default -> OperationUnavailableException.class;
        };

        assertThat(refusal.reason()).isEqualTo(reason);
        assertThat(refusal.scope()).isEqualTo("payments");
        assertThat(refusal).isExactlyInstanceOf(type).hasMessage("scope=payments: the bank is closed (bank.open)");
        assertThat(refusal.detail()).isEqualTo("The bank is closed.");
        assertThat(refusal.isRetryable())
                .isEqualTo(type == OperationInProgressException.class || type == OperationUnavailableException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = NONE)
    void isNotMadeOfAnOutcomeThatIsNone(OperationOutcome reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> refusal(reason))
                .withMessageContaining("reason=" + reason);
    }

    static Stream<Class<?>> types() {
        return Stream.of(OperationRefusedException.class.getPermittedSubclasses());
    }

    /** Type and reason cannot disagree. */
    @ParameterizedTest
    @MethodSource("types")
    void isMadeByItsReasonAlone(Class<?> type) {
        assertThat(type.getDeclaredConstructors())
                .allSatisfy(constructor -> assertThat(Modifier.isPublic(constructor.getModifiers()))
                        .isFalse());
    }
}
