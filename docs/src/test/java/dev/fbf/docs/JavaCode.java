package dev.fbf.docs;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Java code of a page. A part of a class is compiled within the context of its page, {@code <page>.java.txt} beside this
 * class, or {@code guide.java.txt}: its imports, and what the code on the page expects to be there.
 */
record JavaCode(Page.Code block) {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final String PLACE = "    // the code of the page\n";

    /** The ways in which code can stand within a class, or be one. */
    private enum Part {
        FILE("%s"),
        MEMBERS("%s"),
        STATEMENTS("void code() throws Exception { %s }"),
        EXPRESSION("Object code() { return %s; }"),
        ANNOTATION("%s long code(String operationId) { return currentViews(operationId); }");

        private final String format;

        Part(String format) {
            this.format = format;
        }
    }

    /** Compiles it into a directory; fails with what the compiler says. */
    void compile(Path classes) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        assertThat(task(source(part()), classes, found).call())
                .as(() -> block + "\n" + errors(found))
                .isTrue();
    }

    private Part part() {
        return Stream.of(Part.values())
                .filter(part -> !part.equals(Part.FILE) || block.text().contains("class "))
                .filter(this::parses)
                .findFirst()
                .orElseThrow(() -> new AssertionError(block + " is no Java code"));
    }

    private boolean parses(Part part) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try {
            task(source(part), Path.of("target"), found).parse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found.getDiagnostics().isEmpty();
    }

    private String source(Part part) {
        if (part == Part.FILE && block.text().contains("import ")) {
            return block.text();
        }
        String context = context();
        return context.replace(PLACE, part.format.formatted(block.text()));
    }

    private String context() {
        String name =
                block.page().path().replaceAll(".*/", "").replace(".md", "").toLowerCase(Locale.ROOT) + ".java.txt";
        URL own = JavaCode.class.getResource(name);
        URL shared = Objects.requireNonNull(JavaCode.class.getResource("guide.java.txt"));
        try (InputStream context = (own == null ? shared : own).openStream()) {
            String text = new String(context.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text).as(name).contains(PLACE);
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JavacTask task(String source, Path classes, DiagnosticCollector<JavaFileObject> found) {
        StandardJavaFileManager files = COMPILER.getStandardFileManager(found, Locale.ROOT, StandardCharsets.UTF_8);
        List<String> options = List.of(
                "-cp", System.getProperty("java.class.path"), "-proc:none", "-parameters", "-d", classes.toString());
        return (JavacTask) COMPILER.getTask(null, files, found, options, null, List.of(file(source)));
    }

    private static SimpleJavaFileObject file(String source) {
        String name = source.replaceAll("(?s).*?public class (\\w+).*", "$1");
        URI uri = URI.create("string:///" + (name.length() < source.length() ? name : "Code") + ".java");
        return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
    }

    private static String errors(DiagnosticCollector<JavaFileObject> found) {
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString)
                .collect(joining("\n"));
    }
}
