// Groovy's own compiler, after parsing: classes, methods, constructors, properties and fields.
import java.io.*;
import java.nio.charset.StandardCharsets;
import org.codehaus.groovy.ast.*;
import org.codehaus.groovy.control.*;

public class Groovy {
    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    static java.util.List<String> lines;

    // A node begins at its annotations, so the name is searched from there on.
    static void put(String path, int line, String name, String scope, String kind) {
        if (line > 0) while (line < lines.size() && !lines.get(line - 1).matches("(?s).*(?<![\\w$@.])" + java.util.regex.Pattern.quote(name) + "(?![\\w$]).*")) line++;
        if (line > 0) OUT.println("{\"path\":\"" + path + "\",\"line\":" + line + ",\"name\":\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\",\"kind\":\"" + kind + "\"}");
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path; (path = in.readLine()) != null; ) {
            CompilationUnit unit = new CompilationUnit();
            unit.addSource(new File(path));
            try {
                unit.compile(Phases.CONVERSION);
            } catch (Throwable error) {
                OUT.println("{\"path\":\"" + path + "\",\"error\":\"syntax\"}");
                continue;
            }
            lines = java.nio.file.Files.readAllLines(java.nio.file.Path.of(path), StandardCharsets.ISO_8859_1);
            for (Object each : unit.getAST().getClasses()) {
                ClassNode type = (ClassNode) each;
                if (!type.isScript() && !(type instanceof InnerClassNode && ((InnerClassNode) type).isAnonymous()))
                    put(path, type.getLineNumber(), type.getNameWithoutPackage().replaceAll(".*\\$", ""), null, type.isEnum() ? "enum" : type.isInterface() ? "interface" : "class");
                for (MethodNode method : type.getMethods()) if (!method.isSynthetic() && !method.getName().contains("$")) put(path, method.getLineNumber(), method.getName(), null, "method");
                for (ConstructorNode made : type.getDeclaredConstructors()) if (!made.isSynthetic()) put(path, made.getLineNumber(), type.getNameWithoutPackage().replaceAll(".*\\$", ""), null, "constructor");
                for (PropertyNode property : type.getProperties()) put(path, property.getLineNumber(), property.getName(), null, "property");
                for (FieldNode field : type.getFields()) if (!field.isSynthetic() && type.getProperty(field.getName()) == null) put(path, field.getLineNumber(), field.getName(), null, field.isEnum() ? "enumConstant" : "field");
            }
        }
        OUT.flush();
    }
}
