package dev.fbf.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class GroupMemberTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final Member member = new Member();

    @Test
    void itsCallerWaitsUntilItsGroupHasEndedIt() {
        Thread caller = Thread.currentThread();
        Thread group = new Thread(() -> {
            while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            member.take();
            member.end();
        });
        group.setDaemon(true);
        group.start();
        assertThat(member.hasEnded()).isFalse();

        assertThat(member.awaitEnd(LONG)).isTrue();

        assertThat(member.hasEnded()).isTrue();
        assertThat(member.abandoned).isFalse();
    }

    @Test
    void isAbandonedIfItsCallerTimesOutBeforeAGroupTakesIt() {
        assertThat(member.awaitEnd(Duration.ZERO)).isTrue();

        assertThat(member.abandoned).isTrue();
        assertThat(member.take()).isFalse();
    }

    @Test
    void isLeftToItsGroupIfItsCallerIsInterrupted() {
        member.take();
        Thread.currentThread().interrupt();

        assertThat(member.awaitEnd(LONG)).isFalse();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(member.abandoned).isFalse();
        member.sendAlone();
        assertThat(member.abandoned).as("once its group has failed").isTrue();
        assertThat(member.goesAlone()).isFalse();
    }

    @Test
    void isReturnedToItsCallerWhenItsGroupHasFailed() {
        assertThat(member.take()).isTrue();
        assertThat(member.take()).as("by another group").isFalse();

        member.sendAlone();

        assertThat(member.awaitEnd(LONG)).isTrue();
        assertThat(member.goesAlone()).isTrue();
        assertThat(member.abandoned).isFalse();
    }

    private static final class Member extends GroupMember {

        private volatile boolean abandoned;

        @Override
        protected void abandoned() {
            abandoned = true;
            end();
        }
    }
}
