package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;

/** Guarded calls that are refused. */
public final class RefusedCall {

    private RefusedCall() {}

    public static ThrowableAssertAlternative<OperationUnavailableException> assertUnavailable(ThrowingCallable call) {
        return assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(call);
    }

    public static ThrowableAssertAlternative<OperationInProgressException> assertInProgress(ThrowingCallable call) {
        return assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(call);
    }

    public static ThrowableAssertAlternative<IdempotencyKeyException> assertKeyRefused(
            OperationOutcome reason, ThrowingCallable call) {
        return assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(call)
                .matches(refusal -> refusal.reason() == reason, reason.value());
    }
}
