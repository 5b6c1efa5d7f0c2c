package dev.fbf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.fbf.spring.FbfAutoConfigurations;
import dev.fbf.spring.IdempotentIncrement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** An application that Spring processes when it is built; the sample app is started in this form, too. */
class AheadOfTimeTest {

    private final InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();

    @Test
    void ownScriptsHaveHints() {
        RuntimeHints hints = process(Shop.class);

        assertThat(RuntimeHintsPredicates.resource().forResource("dev/fbf/db/migration/postgresql/V1__fbf.sql"))
                .accepts(hints);
    }

    @Test
    void guardedBeansHaveTheirProxiesAlready() {
        process(Shop.class);

        assertThat(files.getGeneratedFiles(Kind.CLASS).keySet())
                .anyMatch(name -> name.startsWith(Shop.class.getName().replace('.', '/') + "$$SpringCGLIB$$"));
    }

    private RuntimeHints process(Class<?> bean) {
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(bean, Database.class);
            context.register(FbfAutoConfigurations.classes());
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        return generation.getRuntimeHints();
    }

    @Configuration(proxyBeanMethods = false)
    static class Database {

        @Bean
        DataSource dataSource() {
            return mock();
        }
    }

    static class Shop {

        /** The placeholder has no value before the application starts. */
        @IdempotentIncrement(scope = "sell", key = "#order", waitInProgress = "${shop.wait}")
        String sell(String order) {
            return "sold";
        }
    }
}
