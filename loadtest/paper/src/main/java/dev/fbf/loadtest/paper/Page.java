package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.pages.Templates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/**
 * A page under {@code docs/research}. Its prose is written by hand. What a run measures stands in blocks between the comments
 * {@code <!-- measured: name -->} and {@code <!-- end -->}, which the page's template writes from the figures; plots and data are files
 * beside the page.
 *
 * <p>In a template {@code <@block>} is a block, {@code <@claim>} judges a claim, and {@code claims()} returns the claims judged so far.
 */
final class Page {

    private static final String PAGES = "docs/research";
    private static final Pattern BLOCK = Pattern.compile("(?s)<!-- measured: ([a-z0-9-]+) -->\n(.*?)<!-- end -->");

    private final Path directory;
    private final String name;
    private final String text;
    private final Map<String, String> plots = new HashMap<>();
    private final Map<String, String> blocks = new LinkedHashMap<>();
    private final List<Claim> claims = new ArrayList<>();

    /**
     * Reads a page.
     *
     * @param settings its {@code page} is the directory that the page, its plots and its data are written to
     */
    Page(Settings settings, String name) throws IOException {
        this.name = name;
        directory = Files.createDirectories(settings.inRepository(settings.text("page")));
        text = Files.readString(settings.inRepository(PAGES).resolve(name));
    }

    /** Writes a plot and its data; the template has Markdown that shows both as {@code plots[file]}. */
    void plot(String file, Plot plot, String csv) throws IOException {
        Path image = directory.resolve(file + ".png");
        // fonts differ between machines: a plot of the same data is left as it is, so that git stays clean
        if (write(file + ".csv", csv) || !Files.exists(image)) {
            Files.write(image, Plot.png(List.of(plot)));
        }
        plots.put(file, format("![%s](%s.png)\n\nData: [%2$s.csv](%2$s.csv)", plot.title(), file));
    }

    /** Writes a file beside the page; returns whether it has changed. */
    boolean write(String file, String content) throws IOException {
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
     * @return the claims that the template has judged
     * @throws IllegalStateException if the template has other blocks than the page
     */
    List<Claim> write(Object figures) throws IOException {
        render(figures);
        List<String> found =
                BLOCK.matcher(text).results().map(block -> block.group(1)).toList();
        if (!found.stream()
                .sorted()
                .toList()
                .equals(blocks.keySet().stream().sorted().toList())) {
            throw new IllegalStateException(
                    PAGES + "/" + name + " has the blocks " + found + ", and measured were " + blocks.keySet());
        }
        write(
                name,
                BLOCK.matcher(text)
                        .replaceAll(block -> Matcher.quoteReplacement("<!-- measured: " + block.group(1) + " -->\n"
                                + blocks.get(block.group(1)) + "\n<!-- end -->")));
        return claims;
    }

    private void render(Object figures) {
        String written = Templates.process(
                Page.class,
                name.replace(".md", ".ftl"),
                Map.of(
                        "figures", JsonMapper.shared().convertValue(figures, Object.class),
                        "plots", plots,
                        "add", Templates.method(this::add),
                        "claims", Templates.method(unused -> JsonMapper.shared().convertValue(claims, Object.class)),
                        "link", Templates.method(words -> link((String) words.get(0), (String) words.get(1)))));
        BLOCK.matcher(written)
                .results()
                .forEach(block -> blocks.put(block.group(1), block.group(2).strip()));
    }

    private String add(List<Object> arguments) {
        claims.add(JsonMapper.shared().convertValue(arguments.get(0), Claim.class));
        return "";
    }

    /** A link to the section whose heading begins like this, as GitHub makes anchors of headings. */
    private String link(String label, String heading) {
        String line = text.lines()
                .filter(candidate -> candidate.startsWith("## " + heading))
                .findFirst()
                .orElseThrow();
        String anchor = line.substring("## ".length()).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "");
        return "[" + label + "](#" + anchor.replace(' ', '-') + ")";
    }
}
