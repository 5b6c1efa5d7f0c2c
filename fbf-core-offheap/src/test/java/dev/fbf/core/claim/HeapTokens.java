package dev.fbf.core.claim;

import dev.fbf.core.memory.HeapWords;

/** Tokens of slots on the heap. */
final class HeapTokens {

    private HeapTokens() {}

    /** None is known. */
    static SlotTokens of(int capacity) {
        SlotTokens tokens = new SlotTokens(new HeapWords(SlotTokens.words(capacity)), capacity, 0);
        tokens.forget();
        return tokens;
    }
}
