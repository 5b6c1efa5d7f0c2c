package dev.fbf.loadtest.harness.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotedFiguresTest {

    private static final String OTHER = "| 8.59 | 39,274 | 1,000 rows | 10.0 | 4.13 | 0.15 | 0.1 |";

    @ParameterizedTest
    @CsvSource({
        "it is **8.6 times** as fast, 8.6",
        "it is 8.59 times as fast, 8.59",
        "it has 0.15 of the time, 0.15",
        "'39,274 in a second', '39,274'",
        "it is 4.1 times as fast, 4.1"
    })
    void findsFiguresThatAreTheSameAfterRounding(String page, String figure) {
        assertThat(QuotedFigures.in(page, OTHER)).containsExactly(figure);
    }

    @ParameterizedTest
    @CsvSource({
        "8.7 times",
        "8.594 times",
        "'1,000 rows'",
        "'39,275'",
        "Spring Boot 4.1",
        "Spring Boot 4.1.3",
        "'Maven, 4.1'",
        "`rate=8.59`",
        "10 times",
        "from 0.1"
    })
    void findsNoOtherNumbers(String page) {
        assertThat(QuotedFigures.in(page, OTHER)).isEmpty();
    }
}
