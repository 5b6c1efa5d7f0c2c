package dev.fbf.sample.page;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/**
 * Counts page views with the guard and without it: these two POST methods differ in one annotation. A third one needs none, because
 * it leaves the counting to {@link SqlCounters}.
 */
@RestController
class PageController {

    private final PageViews pageViews;
    private final SqlCounters counters;

    PageController(PageViews pageViews, SqlCounters counters) {
        this.pageViews = pageViews;
        this.counters = counters;
    }

    @PostMapping("/pages/{page}/views")
    @IdempotentIncrement(scope = "page-views", onDuplicate = "currentViews")
    Views view(@PathVariable PageName page) {
        return new Views(page.value(), pageViews.add(page));
    }

    Views currentViews(PageName page) {
        return new Views(page.value(), pageViews.of(page));
    }

    @PostMapping("/unguarded/pages/{page}/views")
    Views viewUnguarded(@PathVariable PageName page) {
        return new Views(page.value(), pageViews.addUnguarded(page));
    }

    /** Views that come at the same time are committed together: nobody waits for the row of a page that everybody views. */
    @PostMapping("/grouped/pages/{page}/views")
    Views viewGrouped(@PathVariable PageName page, IdempotencyKey key) {
        return new Views(page.value(), counters.increment(key, page.value(), 1));
    }

    @GetMapping("/grouped/pages/{page}")
    Views groupedViews(@PathVariable PageName page) {
        return new Views(page.value(), counters.value(page.value()).orElse(0));
    }

    @GetMapping("/pages/{page}")
    BothViews views(@PathVariable PageName page) {
        return new BothViews(page.value(), pageViews.of(page), pageViews.unguardedOf(page));
    }

    /** A path variable never matches the empty name, so that its paths are spelled out. */
    @RequestMapping({"/pages/", "/pages//views", "/unguarded/pages//views", "/grouped/pages/", "/grouped/pages//views"})
    ProblemDetail emptyName() {
        return badName();
    }

    @ExceptionHandler(MethodArgumentTypeMismatchException.class)
    ProblemDetail badName() {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, PageName.RULE);
    }

    record Views(String page, long views) {}

    record BothViews(String page, long views, long unguardedViews) {}
}
