package dev.fbf.core.memory;

class HeapWordsTest extends WordsContract {

    @Override
    Words words() {
        return new HeapWords(SIZE);
    }
}
