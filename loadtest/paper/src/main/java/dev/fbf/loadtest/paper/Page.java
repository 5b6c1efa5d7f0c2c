package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A page under {@code docs/research}. Its prose is written by hand. What a run measures stands in blocks between the comments
 * {@code <!-- measured: name -->} and {@code <!-- end -->}, which the run replaces; plots and data are files beside the page.
 */
public final class Page {

    private static final String PAGES = "docs/research";
    private static final Pattern BLOCK = Pattern.compile("(?s)<!-- measured: ([a-z0-9-]+) -->\n.*?<!-- end -->");

    private final Path directory;
    private final String name;
    private final String text;
    private final Map<String, String> blocks = new LinkedHashMap<>();

    /**
     * Reads a page.
     *
     * @param settings its {@code page} is the directory that the page, its plots and its data are written to
     */
    public Page(Settings settings, String name) throws IOException {
        this.name = name;
        directory = Files.createDirectories(settings.inRepository(settings.text("page")));
        text = Files.readString(settings.inRepository(PAGES).resolve(name));
    }

    public void block(String block, String markdown) {
        blocks.put(block, markdown);
    }

    /** Writes a plot and its data; returns Markdown that shows both. */
    public String plot(String file, Plot plot, String csv) throws IOException {
        Path image = directory.resolve(file + ".png");
        // fonts differ between machines: a plot of the same data is left as it is, so that git stays clean
        if (write(file + ".csv", csv) || !Files.exists(image)) {
            Files.write(image, Plots.png(plot));
        }
        return "![" + plot.title() + "](" + file + ".png)\n\nData: [" + file + ".csv](" + file + ".csv)\n";
    }

    /** Writes a file beside the page; returns whether it has changed. */
    public boolean write(String file, String content) throws IOException {
        Path path = directory.resolve(file);
        if (Files.exists(path) && Files.readString(path).equals(content)) {
            return false;
        }
        Files.writeString(path, content);
        return true;
    }

    /**
     * Writes the page.
     *
     * @throws IllegalStateException if a block of the page was not measured, or the page lacks one that was
     */
    public void write() throws IOException {
        List<String> found =
                BLOCK.matcher(text).results().map(block -> block.group(1)).toList();
        if (!found.equals(List.copyOf(blocks.keySet()))) {
            throw new IllegalStateException(
                    PAGES + "/" + name + " has the blocks " + found + ", and measured were " + blocks.keySet());
        }
        write(
                name,
                BLOCK.matcher(text)
                        .replaceAll(block -> Matcher.quoteReplacement("<!-- measured: " + block.group(1) + " -->\n"
                                + blocks.getOrDefault(block.group(1), "").strip() + "\n<!-- end -->")));
    }

    /** A link to the section whose heading begins like this, as GitHub makes anchors of headings. */
    String link(String label, String heading) {
        String line = text.lines()
                .filter(candidate -> candidate.startsWith("## " + heading))
                .findFirst()
                .orElseThrow();
        String anchor = line.substring("## ".length()).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "");
        return "[" + label + "](#" + anchor.replace(' ', '-') + ")";
    }

    /** The verdicts of claims with their reasons, a paragraph each. */
    public static String verdicts(List<Claim> claims) {
        return verdicts(claims, Claim::claim);
    }

    /** The same with another name of each claim. */
    public static String verdicts(List<Claim> claims, Function<Claim, String> name) {
        return claims.stream()
                .map(claim -> {
                    String verdict = claim.verdict().toString();
                    return "**" + Character.toUpperCase(verdict.charAt(0)) + verdict.substring(1) + "** ("
                            + name.apply(claim) + "). " + claim.because() + "\n";
                })
                .collect(Collectors.joining("\n"));
    }
}
