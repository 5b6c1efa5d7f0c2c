package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Death;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that goes down, and the filter's reports of that. */
class PowerFailureTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final Duration WINDOW = PLAN.window();
    private static final Duration PART = Duration.ofSeconds(20);

    private final HandClock clock = new HandClock();
    private final List<ForgetfulBloomFilter> lives = new ArrayList<>();

    @TempDir
    private Path temporary;

    private long boots;
    private int deaths;
    private ForgetfulBloomFilter filter;

    @BeforeEach
    void makeAFilter() throws IOException {
        Files.createDirectory(directory());
        startMachine();
        filter = open();
    }

    @AfterEach
    void close() {
        lives.forEach(ForgetfulBloomFilter::close);
    }

    @Test
    void aFilterThatWasNeverOpenWhenTheMachineWentDownIsComplete() throws IOException {
        assertThat(filter.incompleteFor()).isZero();

        die();
        filter = open();
        assertThat(filter.incompleteFor()).as("after kill -9").isZero();

        filter.close();
        startMachine();
        filter = open();
        assertThat(filter.incompleteFor()).as("after a clean shutdown").isZero();
    }

    @Test
    void afterAPowerFailureItIsIncompleteForAWindow() throws IOException {
        losePowerAndOpen();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW);

        pass(WINDOW.minusMillis(1));
        assertThat(filter.incompleteFor()).isEqualTo(Duration.ofMillis(1));

        pass(Duration.ofMillis(1));
        assertThat(filter.incompleteFor()).isZero();
    }

    @Test
    void aProcessThatIsKilledMeanwhileLeavesTheRestToTheNext() throws IOException {
        losePowerAndOpen();
        pass(PART);
        die();
        filter = open();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW.minus(PART));

        die();
        clock.advance(PART);
        filter = open();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW.minus(PART).minus(PART));
    }

    @Test
    void settingTheClockDoesNotShortenTheRest() throws IOException {
        losePowerAndOpen();
        die();
        clock.set(Duration.ofDays(1));
        filter = open();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW);

        die();
        clock.set(Duration.ofDays(-2));
        filter = open();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW);
    }

    @Test
    void anArenaForAnotherPlanIsAsIncompleteAsTheFormerOne() throws IOException {
        FilterPlan other = new FilterSizing(500, Duration.ofSeconds(20), 1e-6).plan();
        die();
        startMachine();
        filter = open(other);
        assertThat(filter.plan()).isEqualTo(other);
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW);
    }

    /** The file must not say that it was opened after the power failure before it says that something may be missing. */
    @Test
    void isNoticedWhereverTheNextStartDies() throws IOException {
        int readings = 0;
        do {
            pass(WINDOW);
            die();
            startMachine();
            clock.dieAfter(readings++);
        } while (openingDies());
        assertThat(readings).as("readings of the clock").isGreaterThan(3);
    }

    private boolean openingDies() throws IOException {
        boolean dies = false;
        try {
            open();
        } catch (Death e) {
            dies = true;
        }
        clock.liveOn();
        die();
        filter = open();
        assertThat(filter.incompleteFor()).isEqualTo(WINDOW);
        return dies;
    }

    private void losePowerAndOpen() throws IOException {
        die();
        startMachine();
        filter = open();
    }

    /** The next process finds the files as they are now. */
    private void die() throws IOException {
        Path left = directory();
        deaths++;
        KilledProcess.leave(left, directory());
    }

    private void startMachine() {
        clock.boot(++boots);
    }

    private ForgetfulBloomFilter open() {
        return open(PLAN);
    }

    private ForgetfulBloomFilter open(FilterPlan plan) {
        ForgetfulBloomFilter opened = new ArenaFiles(directory(), "views", clock).open(plan);
        lives.add(opened);
        return opened;
    }

    private void pass(Duration duration) {
        clock.advance(duration);
        filter.maintain();
    }

    private Path directory() {
        return temporary.resolve(Integer.toString(deaths));
    }
}
