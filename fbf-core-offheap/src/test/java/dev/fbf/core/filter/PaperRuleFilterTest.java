package dev.fbf.core.filter;

import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.Rule;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class PaperRuleFilterTest extends ForgetfulBloomFilterContract {

    @Override
    Words words(long size) {
        return new HeapWords(size);
    }

    @Override
    Rule rule() {
        return Rule.PAPER;
    }
}
