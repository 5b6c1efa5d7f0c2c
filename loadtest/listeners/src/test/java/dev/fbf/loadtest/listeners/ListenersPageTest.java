package dev.fbf.loadtest.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The other tests run the code of docs/listeners.md, except for the length of a month. */
class ListenersPageTest {

    private static final Path SOURCES = Path.of("src/test/java/dev/fbf/loadtest/listeners");

    @ParameterizedTest
    @ValueSource(strings = {"InvoiceJob", "KafkaErrors", "Outages", "RabbitErrors"})
    void theCodeIsThatOfThePage(String name) throws Exception {
        String source = Files.readString(SOURCES.resolve(name + ".java"))
                .replaceAll("(?s).*?\\*/\n", "")
                .replace("@Nullable ", "")
                .replace("*/5 * * * * *", "0 0 4 1 * *");

        assertThat(Files.readString(Path.of("../../docs/listeners.md")).replaceAll("\\s", ""))
                .contains(source.replaceAll("\\s", ""));
    }
}
