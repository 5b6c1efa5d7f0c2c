package dev.fbf.loadtest.paper.cuckoo;

import java.util.List;

/**
 * A part of the page.
 *
 * @param setting what was measured and how
 * @param claims what the paper says of it, and what was found; may be empty
 * @param body Markdown: tables, plots and findings
 */
record Section(String heading, String setting, List<Judged> claims, String body) {}
