package dev.fbf.spring;

import dev.fbf.db.Answer;

/** Takes the first request's answer past whatever surrounds the guarded method, to where answers are made. */
final class ReplayedAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    ReplayedAnswerException(Answer answer) {
        super("The operation was applied before, and is answered as it was then", null, false, false);
        this.answer = answer;
    }

    Answer answer() {
        return answer;
    }
}
