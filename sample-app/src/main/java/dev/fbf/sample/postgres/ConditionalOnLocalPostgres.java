package dev.fbf.sample.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Conditional;

/** What there is only while the application has a PostgreSQL server of its own: nobody has given it a database. */
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
