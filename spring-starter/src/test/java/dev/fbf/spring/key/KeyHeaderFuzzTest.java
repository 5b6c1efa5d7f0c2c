package dev.fbf.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.IdempotencyKeyException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the parser against the grammar: what the one reads, and refuses, the other does too, and nothing else is thrown.
 * {@code -Dfbf.fuzz.inputs=10000000} takes more inputs, {@code -Dfbf.fuzz.seed} others.
 */
class KeyHeaderFuzzTest {

    private static final Logger log = LoggerFactory.getLogger(KeyHeaderFuzzTest.class);

    private static final long INPUTS = Long.getLong("fbf.fuzz.inputs", 20_000);
    private static final long SEED = Long.getLong("fbf.fuzz.seed", 1);

    @Test
    void readsWhatTheGrammarHasAndRefusesEverythingElse() {
        Comparison strict = new Comparison(new KeyHeader("Idempotency-Key", true), StructuredStringGrammar::strict);
        Comparison lenient = new Comparison(new KeyHeader("Idempotency-Key", false), StructuredStringGrammar::lenient);
        HeaderLines lines = new HeaderLines(SEED);
        long begin = System.nanoTime();

        for (long i = 0; i < INPUTS; i++) {
            String line = lines.get();
            strict.compare(line);
            lenient.compare(line);
        }

        log.info(
                "{} inputs, seed {}, {} ms: strict {}; lenient {}",
                INPUTS,
                SEED,
                (System.nanoTime() - begin) / 1_000_000,
                strict,
                lenient);
        // neither all of it too easy to refuse, nor to accept
        assertThat(strict.accepted).isBetween(INPUTS / 10, INPUTS / 2);
        assertThat(lenient.accepted).isBetween(INPUTS / 5, INPUTS * 4 / 5);
    }

    /** A parser and what it has to do. */
    private static final class Comparison {

        private final KeyHeader parser;
        private final Function<String, @Nullable String> grammar;
        private long accepted;
        private long refused;

        Comparison(KeyHeader parser, Function<String, @Nullable String> grammar) {
            this.parser = parser;
            this.grammar = grammar;
        }

        void compare(String line) {
            String read = read(line);
            if (!Objects.equals(read, grammar.apply(line))) {
                assertThat(read).as("%s reads <%s>", parser, line).isEqualTo(grammar.apply(line));
            }
            if (read == null) {
                refused++;
            } else {
                accepted++;
            }
        }

        private @Nullable String read(String line) {
            try {
                return parser.read(List.of(line));
            } catch (IdempotencyKeyException e) {
                return null;
            }
        }

        @Override
        public String toString() {
            return "accepted " + accepted + ", refused " + refused;
        }
    }
}
