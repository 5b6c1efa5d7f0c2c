package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.IdempotencyKeyException;
import java.text.ParseException;
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

    private static final KeyHeader HEADER = new KeyHeader("Idempotency-Key");

    @Test
    void readsWhatTheGrammarHasAndRefusesEverythingElse() {
        Comparison quoted = new Comparison(KeyHeaderFuzzTest::readQuoted, StructuredStringGrammar::quoted);
        Comparison any = new Comparison(KeyHeaderFuzzTest::read, StructuredStringGrammar::key);
        HeaderLines lines = new HeaderLines(SEED);
        long begin = System.nanoTime();

        for (long i = 0; i < INPUTS; i++) {
            String line = lines.get();
            quoted.compare(line);
            any.compare(line);
        }

        log.info(
                "{} inputs, seed {}, {} ms: quoted {}; any {}",
                INPUTS,
                SEED,
                (System.nanoTime() - begin) / 1_000_000,
                quoted,
                any);
        // neither all of it too easy to refuse, nor to accept
        assertThat(quoted.accepted).isBetween(INPUTS / 10, INPUTS / 2);
        assertThat(any.accepted).isBetween(INPUTS / 5, INPUTS * 4 / 5);
    }

    private static @Nullable String readQuoted(String line) {
        try {
            String key = StructuredString.parse(line);
            return key.isEmpty() || key.length() > KeyHeader.MAX_LENGTH ? null : key;
        } catch (ParseException e) {
            return null;
        }
    }

    private static @Nullable String read(String line) {
        try {
            return HEADER.read("payments", List.of(line));
        } catch (IdempotencyKeyException e) {
            return null;
        }
    }

    /** A parser and what it has to do. */
    private static final class Comparison {

        private final Function<String, @Nullable String> parser;
        private final Function<String, @Nullable String> grammar;
        private long accepted;
        private long refused;

        Comparison(Function<String, @Nullable String> parser, Function<String, @Nullable String> grammar) {
            this.parser = parser;
            this.grammar = grammar;
        }

        void compare(String line) {
            String read = parser.apply(line);
            if (!Objects.equals(read, grammar.apply(line))) {
                assertThat(read).as("of <%s>", line).isEqualTo(grammar.apply(line));
            }
            if (read == null) {
                refused++;
            } else {
                accepted++;
            }
        }

        @Override
        public String toString() {
            return "accepted " + accepted + ", refused " + refused;
        }
    }
}
