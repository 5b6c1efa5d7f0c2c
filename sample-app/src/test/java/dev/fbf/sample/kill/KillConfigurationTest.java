package dev.fbf.sample.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

class KillConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withInitializer(context ->
                    context.getBeanFactory().setConversionService(ApplicationConversionService.getSharedInstance()))
            .withUserConfiguration(KillController.class, KillMe.class, CutCounter.class)
            .withBean(JdbcClient.class, () -> mock(JdbcClient.class))
            .withPropertyValues("sample.outage=1s");

    @Test
    void theConnectionsOfTheApplicationsOwnServerCanBeKilled() {
        runner.run(context -> assertThat(context).hasSingleBean(KillController.class));
    }

    @Test
    void thoseOfADatabaseThatIsGivenCannot() {
        runner.withPropertyValues("spring.datasource.url=jdbc:postgresql://elsewhere/pages")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(KillController.class)
                        .doesNotHaveBean(KillMe.class)
                        .doesNotHaveBean("killDemo"));
    }
}
