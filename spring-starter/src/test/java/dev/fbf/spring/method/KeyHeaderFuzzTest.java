package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKeyException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** {@code -Dfbf.fuzz.inputs=10000000} takes more inputs, {@code -Dfbf.fuzz.seed} others. */
class KeyHeaderFuzzTest {

    private static final long INPUTS = Long.getLong("fbf.fuzz.inputs", 20_000);

    private static final KeyHeader HEADER = new KeyHeader("Idempotency-Key");

    private final SplittableRandom random = new SplittableRandom(Long.getLong("fbf.fuzz.seed", 1));

    @Test
    void readsEachStringInQuotesWhateverItsParameters() {
        for (long i = 0; i < INPUTS; i++) {
            String key = some(1 + random.nextInt(i % 32 == 0 ? 255 : 12), ' ', '~');
            String parameters = random.nextBoolean() ? "" : ";" + some(random.nextInt(12), ' ', '\u00ff' - 1);
            String line = quoted(key) + parameters.replace('\u0085', ' ');

            assertThat(read(line)).as(line).isEqualTo(key);
        }
    }

    @Test
    void readsAKeyOfPrintableCharactersOrRefuses() {
        int refused = 0;
        for (long i = 0; i < INPUTS; i++) {
            String line = mutated(random.nextBoolean() ? quoted(some(6, ' ', '~')) : some(6, '!', '~'));
            try {
                assertThat(read(line)).as(line).matches("[ -~]{1,255}");
            } catch (IdempotencyKeyException e) {
                refused++;
            }
        }
        // neither all of it too easy to refuse, nor to accept
        assertThat((double) refused / INPUTS).isBetween(0.2, 0.8);
    }

    @Test
    void refusesALongLineWithoutADeepStack() {
        for (String line :
                List.of(quoted("\\".repeat(1_000_000)), "\"" + "\\\\".repeat(1_000_000), "k".repeat(1_000_000))) {
            assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> read(line));
        }
    }

    private static String read(String line) {
        return HEADER.read("payments", List.of(line));
    }

    private static String quoted(String key) {
        return '"' + key.replaceAll("[\"\\\\]", "\\\\$0") + '"';
    }

    private String some(int length, int first, int last) {
        return random.ints(length, first, last + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private String mutated(String line) {
        int at = random.nextInt(line.length() + 1);
        String inserted = random.nextBoolean() ? some(1, 0, 0xff) : some(1, ' ', '~');
        return line.substring(0, at) + inserted + line.substring(Math.min(line.length(), at + random.nextInt(2)));
    }
}
