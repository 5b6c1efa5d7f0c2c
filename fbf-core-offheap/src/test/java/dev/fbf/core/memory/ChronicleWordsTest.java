package dev.fbf.core.memory;

import org.junit.jupiter.api.Nested;

class ChronicleWordsTest {

    private static final OffHeapMemory MEMORY = new ChronicleWords.Memory();

    @Nested
    class Mapped extends MappedWordsContract {

        @Override
        OffHeapMemory memory() {
            return MEMORY;
        }
    }
}
