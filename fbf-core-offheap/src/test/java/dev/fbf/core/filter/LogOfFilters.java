package dev.fbf.core.filter;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Messages of filters, or of another class, from level INFO on, until it is closed. Keeps only those of the thread that opened it. */
final class LogOfFilters implements AutoCloseable {

    private final Logger logger;
    private final @Nullable Level levelBefore;
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private final String thread = Thread.currentThread().getName();

    LogOfFilters() {
        this(AdaptiveFilter.class);
    }

    LogOfFilters(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
        levelBefore = logger.getLevel();
        events.start();
        logger.addAppender(events);
        logger.setLevel(Level.INFO);
    }

    List<String> messages(Level level) {
        return List.copyOf(events.list).stream()
                .filter(event -> event.getThreadName().equals(thread) && event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.setLevel(levelBefore);
        logger.detachAppender(events);
    }
}
