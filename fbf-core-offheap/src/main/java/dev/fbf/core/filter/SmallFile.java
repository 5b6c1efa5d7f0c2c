package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.memory.NewFile;
import dev.fbf.core.memory.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Text of up to 1,024 bytes in a file of fbf's directory, for this user alone. Not safe for several threads on one file. */
public final class SmallFile {

    private SmallFile() {}

    /** {@return the text of a small file} */
    public static String read(Path file) throws IOException {
        try (FileChannel channel = PrivateFiles.open(file, READ)) {
            return read(channel);
        }
    }

    /** {@return the text of a small file, from its start} */
    static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(1024);
        while (text.hasRemaining() && channel.read(text, text.position()) > 0) {
            // until the end
        }
        return UTF_8.decode(text.flip()).toString().strip();
    }

    /** Writes the text of a small file: after a crash it has the old text or the new one. */
    public static void write(Path file, String text) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        NewFile.deleteUnfinished(unfinished);
        try (FileChannel channel = PrivateFiles.open(unfinished, CREATE_NEW, WRITE)) {
            ByteBuffer bytes = UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        NewFile.forceName(file);
    }
}
