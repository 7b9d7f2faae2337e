// The JDK's compiler: every class, method, field and enum constant of its tree, including local and anonymous classes.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.Modifier;
import javax.tools.*;

public class Javac {
    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 32) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    static class Walker extends TreePathScanner<Void, Void> {
        final String path;
        final CharSequence text;
        final CompilationUnitTree unit;
        final SourcePositions positions;
        final Deque<String> scope = new ArrayDeque<>();

        Walker(String path, CharSequence text, CompilationUnitTree unit, SourcePositions positions) {
            this.path = path;
            this.text = text;
            this.unit = unit;
            this.positions = positions;
        }

        String container() {
            List<String> parts = new ArrayList<>(scope);
            Collections.reverse(parts);
            return String.join(".", parts);
        }

        void put(Tree tree, Tree from, String name, String kind) {
            int at = (int) (from == null ? positions.getStartPosition(unit, tree) : positions.getEndPosition(unit, from));
            if (at < 0) at = (int) positions.getStartPosition(unit, tree);
            int found = at;
            java.util.regex.Matcher word = java.util.regex.Pattern.compile("(?<![\\w$@.])" + java.util.regex.Pattern.quote(name) + "(?![\\w$])").matcher(clean);
            if (word.find(at)) found = word.start();
            long line = unit.getLineMap().getLineNumber(found);
            OUT.println("{\"path\":" + quote(path) + ",\"line\":" + line + ",\"name\":" + quote(name) + ",\"container\":" + quote(container()) + ",\"kind\":\"" + kind + "\"}");
        }

        // The text with comments and strings blanked, so that a name is searched only in code.
        String clean;

        void blank() {
            StringBuilder out = new StringBuilder(text);
            java.util.regex.Matcher m = java.util.regex.Pattern.compile("//[^\\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])++'", java.util.regex.Pattern.DOTALL).matcher(text);
            while (m.find()) for (int i = m.start(); i < m.end(); i++) if (out.charAt(i) != '\n') out.setCharAt(i, ' ');
            clean = out.toString();
        }

        @Override
        public Void visitClass(ClassTree tree, Void none) {
            String name = tree.getSimpleName().toString();
            if (name.isEmpty()) return super.visitClass(tree, none);
            String kind = tree.getKind().toString().toLowerCase();
            put(tree, modifiersEnd(tree.getModifiers()), name, kind);
            scope.push(name);
            super.visitClass(tree, none);
            scope.pop();
            return null;
        }

        Tree modifiersEnd(ModifiersTree modifiers) {
            return positions.getEndPosition(unit, modifiers) > 0 ? modifiers : null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void none) {
            boolean constructor = tree.getReturnType() == null;
            String name = tree.getName().toString();
            if (constructor) {
                Tree owner = getCurrentPath().getParentPath().getLeaf();
                name = ((ClassTree) owner).getSimpleName().toString();
                if (positions.getEndPosition(unit, tree) < 0 || positions.getStartPosition(unit, tree) == positions.getStartPosition(unit, owner)) return null;
            }
            put(tree, constructor ? modifiersEnd(tree.getModifiers()) : tree.getReturnType(), name, constructor ? "constructor" : "method");
            scope.push(name);
            if (tree.getBody() != null) scan(tree.getBody(), none);
            scope.pop();
            return null;
        }

        @Override
        public Void visitVariable(VariableTree tree, Void none) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            boolean member = parent instanceof ClassTree;
            String name = tree.getName().toString();
            if (!member) return super.visitVariable(tree, none);
            ClassTree owner = (ClassTree) parent;
            boolean constant = isEnumConstant(tree);
            boolean component = owner.getKind() == Tree.Kind.RECORD && !tree.getModifiers().getFlags().contains(Modifier.STATIC);
            Tree type = constant ? null : tree.getType();
            put(tree, type == null ? modifiersEnd(tree.getModifiers()) : type, name, constant ? "enumConstant" : component ? "component" : "field");
            scope.push(name);
            super.visitVariable(tree, none);
            scope.pop();
            return null;
        }

        boolean isEnumConstant(VariableTree tree) {
            return tree.getInitializer() instanceof NewClassTree && tree.toString().startsWith("/*public static final*/");
        }
    }

    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path; (path = in.readLine()) != null; ) {
            String source = Files.readString(Path.of(path), StandardCharsets.UTF_8);
            DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
            JavaFileObject file = new SimpleJavaFileObject(Path.of(path).toUri(), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignore) {
                    return source;
                }
            };
            JavacTask task = (JavacTask) compiler.getTask(null, null, problems, List.of("-proc:none"), null, List.of(file));
            CompilationUnitTree unit = task.parse().iterator().next();
            if (problems.getDiagnostics().stream().anyMatch(each -> each.getKind() == Diagnostic.Kind.ERROR)) {
                OUT.println("{\"path\":" + quote(path) + ",\"error\":\"syntax\"}");
                continue;
            }
            Walker walker = new Walker(path, source, unit, Trees.instance(task).getSourcePositions());
            walker.blank();
            walker.scan(unit, null);
        }
        OUT.flush();
    }
}
