package dev.fbf.loadtest.harness.pages;

import dev.fbf.loadtest.harness.Table;
import freemarker.core.ArithmeticEngine;
import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import freemarker.template.TemplateMethodModelEx;
import freemarker.template.TemplateModel;
import freemarker.template.utility.DeepUnwrap;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** FreeMarker templates that show figures. In each, {@code f(format, numbers…)} formats numbers the same on every machine. */
public final class Templates {

    private Templates() {}

    /**
     * Processes a template that is beside a class.
     *
     * @throws IllegalArgumentException if the model does not have what the template shows
     */
    public static String process(Class<?> place, String name, Map<String, ?> model) {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        configuration.setClassForTemplateLoading(place, "");
        configuration.setDefaultEncoding("UTF-8");
        configuration.setNumberFormat("computer");
        configuration.setArithmeticEngine(ArithmeticEngine.CONSERVATIVE_ENGINE); // double, as Java's
        configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
        configuration.setLogTemplateExceptions(false);
        Map<String, Object> all = new HashMap<>(model);
        all.put("f", method(Templates::format));
        StringWriter text = new StringWriter();
        try {
            configuration.getTemplate(name).process(all, text);
        } catch (TemplateException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Makes a method of a template from a function of its arguments. */
    public static Object method(Function<List<Object>, Object> function) {
        return (TemplateMethodModelEx) arguments -> {
            List<Object> unwrapped = new ArrayList<>();
            for (Object argument : arguments) {
                unwrapped.add(DeepUnwrap.unwrap((TemplateModel) argument));
            }
            return function.apply(unwrapped);
        };
    }

    /** A format with {@code %d} takes integers, any other one fractions. */
    private static String format(List<Object> arguments) {
        String format = (String) arguments.get(0);
        boolean integers = format.matches(".*%,?d.*");
        return Table.format(
                format,
                arguments.stream()
                        .skip(1)
                        .map(Number.class::cast)
                        .map(number -> integers ? (Number) number.longValue() : (Number) number.doubleValue())
                        .toArray());
    }
}
