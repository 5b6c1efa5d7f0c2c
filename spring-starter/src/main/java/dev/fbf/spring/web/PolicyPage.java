package dev.fbf.spring.web;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.web.util.HtmlUtils;

/** HTML page of a policy. */
record PolicyPage(Policy policy) {

    private static final String FRAME = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Idempotency</title>
            <style>
            body { font: 1rem/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; }
            th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ccc; }
            </style>
            </head>
            <body>
            <h1>Idempotency</h1>
            <p>Send each operation with a key of its own in the header <code>%s</code>, and each retry of it with the same key.
            Then the operation is applied once, however often it is sent within <strong>%s</strong>.</p>
            <h2>The key</h2>
            <p>%s %d to %d printable ASCII characters. For example: <code>%s: %s</code></p>
            <p>%s Clocks may differ by %s. Each resource's own values are listed below.</p>
            <h2>Retries</h2>
            <p>%s %s</p>
            <h2>Responses</h2>
            <p>As <code>application/problem+json</code> (RFC 9457).</p>
            %s
            <h2>Resources</h2>
            %s
            </body>
            </html>
            """;

    String html() {
        Policy.Key key = policy.key();
        return FRAME.formatted(
                text(policy.header()),
                text(policy.retryWindow()),
                text(key.format()),
                key.minLength(),
                key.maxLength(),
                text(policy.header()),
                text(key.example()),
                text(key.time()),
                text(key.maxSkew()),
                text(policy.replay()),
                text(policy.payload()),
                table(
                        List.of("Status", "Title", "Retry", "Advice", "Type"),
                        policy.responses(),
                        response -> List.of(
                                response.status(),
                                response.title(),
                                response.retry() ? "after Retry-After" : "no",
                                response.advice(),
                                response.type())),
                table(
                        List.of(
                                "Method",
                                "Path",
                                "Key",
                                "Requests",
                                "Its owner",
                                "Its time",
                                "Window",
                                "Clocks may differ by",
                                "Scope"),
                        policy.resources(),
                        resource -> List.of(
                                resource.method(),
                                resource.path(),
                                resource.key(),
                                resource.compared() ? "compared" : "not compared",
                                resource.owner(),
                                resource.timeRequired() ? "must be there" : "should be there",
                                resource.retryWindow(),
                                resource.maxSkew(),
                                resource.scope())));
    }

    private static <T> String table(List<?> head, List<T> lines, Function<T, List<?>> cells) {
        return "<table>\n" + row("th", head)
                + lines.stream().map(line -> row("td", cells.apply(line))).collect(Collectors.joining()) + "</table>";
    }

    private static String row(String cell, List<?> values) {
        return values.stream()
                .map(value -> "<" + cell + ">" + text(value) + "</" + cell + ">")
                .collect(Collectors.joining("", "<tr>", "</tr>\n"));
    }

    private static String text(Object value) {
        return HtmlUtils.htmlEscape(value.toString());
    }
}
