package dev.fbf.sample;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A Chromium without a window, driven from outside as a visitor would use it. Serves one thread. */
final class Browser implements AutoCloseable {

    private static final List<String> CHROMIUM = List.of("chromium", "chromium-browser", "google-chrome");
    private static final List<String> DRIVER = List.of("chromedriver", "chromium.chromedriver");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Where there is no Chromium the test is skipped, unless {@code FBF_BROWSER_REQUIRED} is true: then it fails. */
    static void assumeInstalled() {
        find(CHROMIUM);
        find(DRIVER);
    }

    static Browser start() {
        File chromium = find(CHROMIUM);
        File chromedriver = find(DRIVER);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium);
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // root has to do without
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost",
                "--window-size=1000,900");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver)
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static File find(List<String> names) {
        Optional<File> found = Stream.of(System.getenv("PATH").split(Pattern.quote(File.pathSeparator), -1))
                .flatMap(folder -> names.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .map(Path::toFile)
                .findFirst();
        String missing = names.get(0) + " is not installed (Debian: apt-get install chromium chromium-driver)";
        if (found.isEmpty() && Boolean.parseBoolean(System.getenv("FBF_BROWSER_REQUIRED"))) {
            throw new IllegalStateException(missing);
        }
        if (found.isEmpty()) {
            System.out.println("The page is not tested in a browser: " + missing);
        }
        assumeTrue(found.isPresent(), missing);
        return found.orElseThrow();
    }

    /** Opens an address in a tab of its own, and goes on there. */
    void open(String address) {
        driver.switchTo().newWindow(WindowType.TAB);
        driver.get(address);
    }

    void reload() {
        driver.navigate().refresh();
    }

    /** Closes all tabs but the first, which shows nothing. */
    void closeTabs() {
        List<String> tabs = List.copyOf(driver.getWindowHandles());
        for (String tab : tabs.subList(1, tabs.size())) {
            driver.switchTo().window(tab).close();
        }
        driver.switchTo().window(tabs.get(0));
    }

    String tab() {
        return driver.getWindowHandle();
    }

    void switchTo(String tab) {
        driver.switchTo().window(tab);
    }

    void click(String id) {
        element(id).click();
    }

    void press(CharSequence keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Goes through the page as the Tab key does, until the element has the focus. */
    void tabTo(String id) {
        for (int steps = 0; !id.equals(focused()); steps++) {
            if (steps == 100) {
                throw new IllegalStateException("The Tab key does not reach " + id);
            }
            press(Keys.TAB);
        }
    }

    String focused() {
        return evaluate("return document.activeElement.id");
    }

    String text(String id) {
        return element(id).getText();
    }

    WebElement element(String id) {
        return driver.findElement(By.id(id));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** What a script of the page returns, as text. */
    String evaluate(String script) {
        return String.valueOf(driver.executeScript(script));
    }

    /** What a script of the page returns, an array, each element as text. */
    List<String> evaluateAll(String script) {
        List<?> values = (List<?>) requireNonNull(driver.executeScript(script));
        return values.stream().map(String::valueOf).toList();
    }

    /** Sets the width and height of what is seen of the page, in CSS pixels. */
    void resize(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Has the visitor prefer {@code dark} or {@code light}. */
    void prefer(String colorScheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colorScheme))));
    }

    /** Takes the errors that the console has shown since the last call. */
    List<String> takeErrors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
