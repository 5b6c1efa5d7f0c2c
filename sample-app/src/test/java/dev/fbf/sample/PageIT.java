package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;

/** The page in a real browser, served by the packaged jar in a process of its own. One browser and one server for all. */
@Tag("slow")
class PageIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Texts whose contrast is less than WCAG 2.2 asks for at level AA, 4.5 to 1; what is large is held to it, too. */
    private static final String FAINT_TEXTS = """
            const luminance = colour => {
              const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(c => c / 255)
                  .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const ground = element => {
              const colour = getComputedStyle(element).backgroundColor;
              return colour === "rgba(0, 0, 0, 0)" ? ground(element.parentElement) : colour;
            };
            const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            return [...document.querySelectorAll("main *")]
                .filter(element => element.checkVisibility())
                .filter(element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
                .map(element => {
                  const style = getComputedStyle(element);
                  const colour = element instanceof SVGElement ? style.fill : style.color;
                  return [contrast(luminance(colour), luminance(ground(element))).toFixed(1), element.outerHTML].join(" ");
                })
                .filter(text => parseFloat(text) < 4.5)""";

    @TempDir
    static Path data;

    private static Browser browser;
    private static RunningApp app;

    @BeforeAll
    static void start() throws IOException {
        Browser.assumeInstalled();
        app = launch(0);
        browser = Browser.start();
        app.awaitStart();
    }

    @AfterAll
    static void stop() throws IOException {
        if (app != null) {
            app.close();
            RunningApp.postgresOn(data).ifPresent(ProcessHandle::destroyForcibly);
        }
        if (browser != null) {
            browser.close();
        }
    }

    private static RunningApp launch(int port) throws IOException {
        return RunningApp.launch(data, port, List.of("-XX:TieredStopAtLevel=1"), List.of("--sample.outage=1s"));
    }

    @BeforeEach
    void visit() throws IOException {
        browser.takeErrors(); // of the tabs of the last test
        openPage();
    }

    @AfterEach
    void leave() throws Exception {
        browser.closeTabs();
        app.delete("/faults");
    }

    private static void openPage() throws IOException {
        browser.open("http://localhost:" + app.port());
        eventually(() -> assertThat(browser.text("verdict")).isEqualTo("No operation sent yet."));
    }

    @Test
    void aClickCountsOnceOnBothCounters() {
        browser.click("once");

        counted(1, 1, 1);
        noErrors();
    }

    @Test
    void aClickThatIsRetriedCountsOnceWhereItIsGuarded() {
        browser.click("retry");

        counted(1, 1, 21);
        assertThat(browser.text("verdict")).isEqualTo("Of 1 expected, guarded is exact, unguarded has 20 too many.");
        noErrors();
    }

    @Test
    void aHundredOperationsAreCountedAndTheButtonWaitsForThem() {
        // in one script, because the operations may have ended when the browser gets the next command
        String busy =
                browser.evaluate("const button = document.getElementById('hundred'); button.click(); button.click();"
                        + " return button.getAttribute('aria-disabled')");

        assertThat(busy).isEqualTo("true");
        counted(100, 100, 100);
        eventually(() -> assertThat(isBusy("hundred")).isFalse());
        noErrors();
    }

    @Test
    void theCountersDriftApartWhileResponsesAreLostAndTheButtonEndsThat() {
        browser.click("lose");
        eventually(() -> assertThat(browser.text("lose")).startsWith("Stop losing responses ("));
        assertThat(browser.text("network")).contains("50 % of the responses get lost");

        browser.click("hundred");
        eventually(() -> {
            assertThat(browser.text("guarded")).isEqualTo("100");
            assertThat(number("unguarded")).isGreaterThan(100);
            assertThat(browser.text("lost")).startsWith("Responses lost so far: ");
            assertThat(isBusy("hundred")).isFalse();
        });
        assertThat(browser.takeErrors()).isNotEmpty().allMatch(PageIT::isLostResponse);

        browser.click("lose");
        eventually(() -> assertThat(browser.text("lose")).isEqualTo("Lose responses"));
        browser.click("once");
        eventually(() -> assertThat(browser.text("guarded")).isEqualTo("101"));
        noErrors();
    }

    @Test
    void aNewPageBeginsAtZero() {
        browser.click("once");
        counted(1, 1, 1);
        String before = browser.text("page");

        browser.click("anew");

        counted(0, 0, 0);
        assertThat(browser.text("page")).isNotEqualTo(before);
        noErrors();
    }

    @Test
    void aReloadKeepsThePageAndItsCounts() {
        browser.click("retry");
        counted(1, 1, 21);
        String before = browser.text("page");

        browser.reload();

        counted(1, 1, 21);
        assertThat(browser.text("page")).isEqualTo(before);
        noErrors();
    }

    @Test
    void twoTabsCountApart() throws IOException {
        String first = browser.tab();
        String firstPage = browser.text("page");
        browser.click("once");
        counted(1, 1, 1);

        openPage();
        assertThat(browser.text("page")).isNotEqualTo(firstPage);
        browser.click("retry");
        counted(1, 1, 21);

        browser.switchTo(first);
        browser.click("once");
        counted(2, 2, 2);
        noErrors();
    }

    @Test
    void whatIsClickedWhileTheServerIsDeadIsCountedWhenItIsBack() throws Exception {
        browser.click("once");
        counted(1, 1, 1);

        int port = app.port();
        app.kill();
        browser.click("once");
        eventually(() -> assertThat(browser.text("network")).contains("The server does not respond."));
        assertThat(browser.text("expected")).isEqualTo("2");

        app = launch(port);
        app.awaitStart();
        counted(2, 2, 2);
        eventually(() -> assertThat(browser.text("network")).isEmpty());
        assertThat(browser.takeErrors()).isNotEmpty().allMatch(PageIT::isLostResponse);
    }

    @Test
    void theFirstLineNamesTheProductAndTheTextTheFirstThingToPress() {
        assertThat(column("h1")).containsExactly("fbf: exactly-once counters for Spring Boot");
        assertThat(column("main > p:first-of-type").get(0))
                .contains(browser.text("retry"), "the guarded counter adds 1, the unguarded one 21");
        assertThat(column("main > p:first-of-type a")).contains(browser.text("retry"));
        assertThat(browser.text("code").lines()).hasSize(5).anyMatch(line -> line.startsWith("@IdempotentIncrement"));
        assertThat(browser.text("kill-expected"))
                .isEqualTo("Expect 4 on the guarded counter and 6 on the unguarded one.");

        browser.click("once");

        assertThat(browser.text("key")).matches("Idempotency-Key: [0-9a-f]{32}");
        noErrors();
    }

    @Test
    void aCutShowsWhichCommitsWereDoneAndThatTheRetryChangesOnlyTheOthers() {
        browser.click("kill-connections");

        assertThat(isBusy("kill-connections")).isTrue();
        eventually(() -> assertThat(browser.text("kill-news"))
                .endsWith("cut. Of 4 operations, each sent again, the guarded counter has 4, the unguarded one 6."));
        String applied = "applied: the retry changed nothing";
        String notApplied = "not applied: the retry applied it";
        assertThat(column("#kill-rows td:nth-child(3)")).containsExactly(notApplied, applied, notApplied, applied);
        assertThat(column("#kill-rows td:nth-child(4)")).containsExactly("1", "1", "1", "1");
        assertThat(column("#kill-rows td:nth-child(5)")).containsExactly("1", "2", "1", "2");
        eventually(() -> assertThat(isBusy("kill-connections")).isFalse());
        noErrors();
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void theTextStandsOutFromItsGround(String colorScheme) {
        browser.prefer(colorScheme);

        String ground = browser.evaluate("return getComputedStyle(document.body).backgroundColor");
        assertThat(ground).isEqualTo(colorScheme.equals("dark") ? "rgb(20, 23, 26)" : "rgb(255, 255, 255)");
        List<String> faint = browser.evaluateAll(FAINT_TEXTS);
        assertThat(faint).isEmpty();
        noErrors();
    }

    @Test
    void nothingIsCutOffAt360Pixels() {
        browser.resize(360, 740);
        browser.click("once");
        browser.click("kill-connections");
        counted(1, 1, 1);
        eventually(() -> assertThat(browser.text("kill-news")).contains("the guarded counter has 4"));

        String scrolls =
                browser.evaluate("return document.documentElement.scrollWidth > document.documentElement.clientWidth");
        assertThat(scrolls).isEqualTo("false");
        List<String> outside = browser.evaluateAll("""
                return [...document.querySelectorAll("main *")]
                    .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
                    .map(element => element.outerHTML)""");
        assertThat(outside).isEmpty();
        noErrors();
    }

    @Test
    void aKeyboardAloneDoesEverything() {
        browser.tabTo("once");
        assertThat(outlineOfTheFocused()).isEqualTo("solid");
        browser.press(Keys.ENTER);
        counted(1, 1, 1);

        browser.tabTo("retry");
        browser.press(Keys.SPACE);
        counted(2, 2, 22);

        browser.tabTo("hundred");
        browser.press(Keys.ENTER);
        counted(102, 102, 122);
        eventually(() -> assertThat(browser.focused()).isEqualTo("hundred"));

        browser.tabTo("kill-connections");
        browser.press(Keys.ENTER);
        eventually(() -> assertThat(browser.text("kill-news")).contains("the guarded counter has 4"));
        assertThat(browser.focused()).isEqualTo("kill-connections");

        browser.tabTo("anew");
        browser.press(Keys.ENTER);
        counted(0, 0, 0);
        assertThat(unlabelledButtons()).isEmpty();
        noErrors();
    }

    private static List<String> column(String css) {
        return browser.all(css).stream().map(WebElement::getText).toList();
    }

    private static void counted(int expected, int guarded, int unguarded) {
        eventually(() -> assertThat(List.of(number("expected"), number("guarded"), number("unguarded")))
                .containsExactly(expected, guarded, unguarded));
    }

    private static int number(String id) {
        return Integer.parseInt(browser.text(id));
    }

    private static boolean isBusy(String id) {
        return "true".equals(browser.element(id).getDomAttribute("aria-disabled"));
    }

    private static void noErrors() {
        assertThat(browser.takeErrors()).isEmpty();
    }

    /** Chromium reports each request without a response, and nothing can be done about that. */
    private static boolean isLostResponse(String error) {
        return error.contains("Failed to load resource: net::ERR_");
    }

    private static String outlineOfTheFocused() {
        return browser.evaluate("return getComputedStyle(document.activeElement).outlineStyle");
    }

    private static List<String> unlabelledButtons() {
        return browser.evaluateAll("""
                return [...document.querySelectorAll("button, [role], svg")]
                    .filter(element => !element.textContent.trim() && !element.ariaLabel
                        && !element.matches("[aria-live], [role=status], .buttons"))
                    .map(element => element.outerHTML)""");
    }

    /** The page makes its tables anew while they are read. */
    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreException(StaleElementReferenceException.class)
                .untilAsserted(assertion);
    }
}
