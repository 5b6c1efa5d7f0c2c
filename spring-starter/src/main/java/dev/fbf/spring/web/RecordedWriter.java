package dev.fbf.spring.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/** The server's own writer, whose text is encoded a second time, to be kept. */
class RecordedWriter extends PrintWriter {

    private final Writer kept;

    /** @param kept throws nothing */
    RecordedWriter(PrintWriter target, OutputStream kept, String charset) {
        super(target);
        this.kept = new OutputStreamWriter(kept, Charset.forName(charset));
    }

    @Override
    public void write(int character) {
        super.write(character);
        keep(() -> kept.write(character));
    }

    @Override
    public void write(char[] characters, int offset, int length) {
        super.write(characters, offset, length);
        keep(() -> kept.write(characters, offset, length));
    }

    @Override
    public void write(String text, int offset, int length) {
        super.write(text, offset, length);
        keep(() -> kept.write(text, offset, length));
    }

    @Override
    public void println() {
        write(System.lineSeparator());
    }

    @Override
    public void close() {
        super.close();
        keep(kept::close);
    }

    /** Hands over what is encoded; nothing is sent. */
    void flushKept() {
        keep(kept::flush);
    }

    @FunctionalInterface
    private interface Keeping {
        void run() throws IOException;
    }

    private static void keep(Keeping keeping) {
        try {
            keeping.run();
        } catch (IOException e) {
            // closed: what is written now is not sent
        }
    }
}
