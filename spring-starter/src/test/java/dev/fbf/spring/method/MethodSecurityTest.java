package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;

/** A guarded method that not everybody may call: security decides before the guard does. */
@ExtendWith(PostgresExtension.class)
class MethodSecurityTest {

    @TempDir
    private Path directory;

    private CountingApp app;
    private Votes votes;

    @BeforeEach
    void start(DataSource dataSource) {
        app = CountingApp.start(directory, new String[0], context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(Votes.class);
            context.registerBean(
                    "preAuthorize",
                    AuthorizationManagerBeforeMethodInterceptor.class,
                    () -> AuthorizationManagerBeforeMethodInterceptor.preAuthorize(),
                    bean -> bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
        });
        votes = app.bean(Votes.class);
    }

    @AfterEach
    void stop() {
        SecurityContextHolder.clearContext();
        app.close();
    }

    @Test
    void aReplayIsNotAnsweredToACallerWhoMayNotCallTheMethod() {
        logInWith("VOTE");
        assertThat(votes.vote("key")).isEqualTo("voted");
        assertThat(votes.vote("key")).isEqualTo("voted before");

        logInWith("READ");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> votes.vote("key"));
    }

    @Test
    void aCallerWhoMayNotCallTheMethodTakesNoClaim() {
        logInWith("READ");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> votes.vote("key"));

        logInWith("VOTE");
        assertThat(votes.vote("key")).isEqualTo("voted");
    }

    /** Always the same user, for the caller is a part of the operation. */
    private static void logInWith(String authority) {
        SecurityContextHolder.setContext(
                new SecurityContextImpl(new TestingAuthenticationToken("user", "password", List.of(() -> authority))));
    }

    static class Votes {

        @IdempotentIncrement(key = "#key", onDuplicate = "before")
        @PreAuthorize("hasAuthority('VOTE')")
        String vote(String key) {
            return "voted";
        }

        String before(String key) {
            return "voted before";
        }
    }
}
