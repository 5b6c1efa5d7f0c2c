package dev.fbf.sample.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Conditional;

/** Matches while the application runs its own PostgreSQL server, because no database is configured. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(ConditionalOnLocalPostgres.NoDatabaseGiven.class)
public @interface ConditionalOnLocalPostgres {

    /** No URL of a database is set. */
    final class NoDatabaseGiven extends NoneNestedConditions {

        NoDatabaseGiven() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class DatabaseGiven {}
    }
}
