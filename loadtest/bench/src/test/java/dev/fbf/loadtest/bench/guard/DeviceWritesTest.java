package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceWritesTest {

    private static final List<String> STATISTICS = List.of(
            "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
            " 254       0 vda 10 11 12 13 14 15 16 17 0 18 19 0 0 0 0 0 0",
            " 254     300 vdz1 20 21 22 23 24 25 26 27 0 28 29 0 0 0 0 0 0");

    @Test
    void findsTheSectorsOfADeviceByItsNumbers() {
        assertThat(DeviceWrites.bytes(STATISTICS, 254 << 8)).hasValue(16 * 512);
        assertThat(DeviceWrites.bytes(STATISTICS, (254 << 8) | (300 & 0xff) | ((300 & ~0xff) << 12)))
                .hasValue(26 * 512);
        assertThat(DeviceWrites.bytes(STATISTICS, 253 << 8)).isEmpty();
    }

    @Test
    void countsWhatIsForced(@TempDir Path directory) throws Exception {
        Optional<DeviceWrites> device = DeviceWrites.of(directory);
        assumeThat(device).as("a block device that the machine tells of").isPresent();
        long before = device.get().bytes();

        try (FileChannel file =
                FileChannel.open(directory.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1 << 20));
            file.force(false);
        }

        assertThat(device.get().bytes() - before).isGreaterThanOrEqualTo(1 << 20);
    }
}
