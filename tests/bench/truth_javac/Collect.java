import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.*;
import java.util.regex.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Prints what javac binds each name to, in Java files that may lack dependencies.
 *
 * <p>Arguments: a class path, then files. Output: rows of `use`, `subtype` (a type, or
 * the member around one without a name, and a direct supertype) or `override` (a method, one that it overrides) and two places, with tabs between them.
 * A place is a path, a line and a column, 1-based; an empty path is outside of the files.
 */
public class Collect {
    static final String OUTSIDE = "\t0\t0";

    final Map<Element, String> places = new HashMap<>();
    final Set<String> rows = new LinkedHashSet<>();
    final Trees trees;
    final Types types;
    final Elements elements;
    CompilationUnitTree unit;
    String text;

    Collect(JavacTask task) {
        trees = Trees.instance(task);
        types = task.getTypes();
        elements = task.getElements();
    }

    public static void main(String[] words) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, null);
        List<String> options = List.of(
            "-cp", words[0], "-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "0");
        JavacTask task = (JavacTask) compiler.getTask(
            null, manager, d -> {}, options, null,
            manager.getJavaFileObjects(Arrays.copyOfRange(words, 1, words.length)));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Collect collect = new Collect(task);
        for (CompilationUnitTree unit : units) collect.begin(unit).new Definitions().scan(unit, null);
        for (CompilationUnitTree unit : units) collect.begin(unit).new Uses().scan(unit, null);
        System.out.println(String.join("\n", collect.rows));
    }

    Collect begin(CompilationUnitTree unit) throws IOException {
        this.unit = unit;
        text = unit.getSourceFile().getCharContent(true).toString();
        return this;
    }

    String place(int offset) {
        int line = (int) unit.getLineMap().getLineNumber(offset);
        int column = offset - (int) unit.getLineMap().getStartPosition(line) + 1;
        return Path.of(unit.getSourceFile().toUri()) + "\t" + line + "\t" + column;
    }

    /** What the files define, with the place of its name. */
    class Definitions extends TreePathScanner<Void, Void> {
        void add(Tree tree, CharSequence name, int from) {
            Element element = trees.getElement(getCurrentPath());
            Matcher word = Pattern.compile("\\b" + Pattern.quote(name + "") + "(?![\\w$])").matcher(text);
            if (element != null && name.length() > 0 && word.find(from)) {
                places.put(element, place(word.start()));
                rows.add("use\t" + place(word.start()) + "\t" + place(word.start()));
            }
        }

        @Override public Void visitClass(ClassTree tree, Void unused) {
            int after = (int) trees.getSourcePositions().getEndPosition(unit, tree.getModifiers());
            add(tree, tree.getSimpleName(), Math.max(((JCTree) tree).pos, after));
            return super.visitClass(tree, unused);
        }

        @Override public Void visitMethod(MethodTree tree, Void unused) {
            boolean isMaker = tree.getReturnType() == null;
            TypeElement around = (TypeElement) trees.getElement(getCurrentPath().getParentPath());
            CharSequence name = isMaker && around != null ? around.getSimpleName() : tree.getName();
            int position = ((JCTree) tree).pos;
            if (text.startsWith(name + "", position)) add(tree, name, position);  // else a default one
            return super.visitMethod(tree, unused);
        }

        @Override public Void visitVariable(VariableTree tree, Void unused) {
            int position = ((JCTree) tree).pos;
            if (text.startsWith(tree.getName() + "", position)) add(tree, tree.getName(), position);
            return super.visitVariable(tree, unused);
        }

        @Override public Void visitTypeParameter(TypeParameterTree tree, Void unused) {
            add(tree, tree.getName(), ((JCTree) tree).pos);
            return super.visitTypeParameter(tree, unused);
        }
    }

    /** What names mean, what types extend, and what methods override. */
    class Uses extends TreePathScanner<Void, Void> {
        void add(int offset, Element element) {
            if (element == null || element.asType().getKind() == TypeKind.ERROR) return;
            if (element instanceof PackageElement) return;
            String definition = places.get(element);
            if (definition == null && element.getEnclosingElement() instanceof TypeElement type)
                definition = ofComponent(type, element);
            rows.add("use\t" + place(offset) + "\t" + (definition == null ? OUTSIDE : definition));
        }

        /** The component of a record that a method without a tree reads. */
        String ofComponent(TypeElement type, Element method) {
            if (type.getKind() != ElementKind.RECORD) return null;
            return ElementFilter.fieldsIn(type.getEnclosedElements()).stream()
                .filter(field -> field.getSimpleName().equals(method.getSimpleName()))
                .map(places::get).filter(Objects::nonNull).findFirst().orElse(null);
        }

        int ofLastName(Tree tree, CharSequence name) {
            return (int) trees.getSourcePositions().getEndPosition(unit, tree) - name.length();
        }

        @Override public Void visitIdentifier(IdentifierTree tree, Void unused) {
            if (text.startsWith(tree.getName() + "", ((JCTree) tree).pos))
                add(((JCTree) tree).pos, trees.getElement(getCurrentPath()));
            return super.visitIdentifier(tree, unused);
        }

        @Override public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            int offset = ofLastName(tree, tree.getIdentifier());
            if (offset > 0 && text.startsWith(tree.getIdentifier() + "", offset))
                add(offset, trees.getElement(getCurrentPath()));
            return super.visitMemberSelect(tree, unused);
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void unused) {
            Element element = trees.getElement(getCurrentPath());
            if (tree.getMode() == MemberReferenceTree.ReferenceMode.NEW)
                addMaker(tree.getQualifierExpression(), element);
            else add(ofLastName(tree, tree.getName()), element);
            return super.visitMemberReference(tree, unused);
        }

        @Override public Void visitNewClass(NewClassTree tree, Void unused) {
            addMaker(tree.getIdentifier(), trees.getElement(getCurrentPath()));
            return super.visitNewClass(tree, unused);
        }

        /** The name of a type that is made means its constructor as well. */
        void addMaker(Tree type, Element maker) {
            if (type instanceof ParameterizedTypeTree of) type = of.getType();
            if (type instanceof AnnotatedTypeTree of) type = of.getUnderlyingType();
            if (places.get(maker) == null) return;
            if (type instanceof IdentifierTree of) add(((JCTree) of).pos, maker);
            if (type instanceof MemberSelectTree of) add(ofLastName(of, of.getIdentifier()), maker);
        }

        @Override public Void visitImport(ImportTree tree, Void unused) {
            if (tree.isStatic() && tree.getQualifiedIdentifier() instanceof MemberSelectTree member) {
                Element type = trees.getElement(new TreePath(
                    new TreePath(getCurrentPath(), member), member.getExpression()));
                if (type instanceof TypeElement of)
                    for (Element one : elements.getAllMembers(of))
                        if (one.getSimpleName().contentEquals(member.getIdentifier()) && !isHidden(one, of))
                            add(ofLastName(member, member.getIdentifier()), one);
            }
            return super.visitImport(tree, unused);
        }

        boolean isHidden(Element one, TypeElement type) {
            return elements.getAllMembers(type).stream().anyMatch(other -> elements.hides(other, one));
        }

        @Override public Void visitClass(ClassTree tree, Void unused) {
            if (trees.getElement(getCurrentPath()) instanceof TypeElement type) {
                String place = places.containsKey(type) ? places.get(type) : placeAround();
                for (TypeMirror base : types.directSupertypes(type.asType()))
                    if (place != null && places.containsKey(types.asElement(base)))
                        rows.add("subtype\t" + place + "\t" + places.get(types.asElement(base)));
            }
            return super.visitClass(tree, unused);
        }

        /** The place of the member around a class without a name; null for a constant of an enum. */
        String placeAround() {
            TreePath path = getCurrentPath().getParentPath();
            while (path.getParentPath() != null && !(path.getParentPath().getLeaf() instanceof ClassTree))
                path = path.getParentPath();
            Element around = trees.getElement(path);
            if (around == null) around = trees.getElement(path.getParentPath());  // of an initializer
            return around.getKind() == ElementKind.ENUM_CONSTANT ? null : places.get(around);
        }

        @Override public Void visitMethod(MethodTree tree, Void unused) {
            if (trees.getElement(getCurrentPath()) instanceof ExecutableElement method
                && places.containsKey(method)) {
                TypeElement type = (TypeElement) method.getEnclosingElement();
                for (TypeElement base : above(type, new LinkedHashSet<>()))
                    for (ExecutableElement other : ElementFilter.methodsIn(base.getEnclosedElements()))
                        if (places.containsKey(other) && elements.overrides(method, other, type))
                            rows.add("override\t" + places.get(method) + "\t" + places.get(other));
            }
            return super.visitMethod(tree, unused);
        }

        Set<TypeElement> above(TypeElement type, Set<TypeElement> found) {
            for (TypeMirror base : types.directSupertypes(type.asType()))
                if (types.asElement(base) instanceof TypeElement of && found.add(of)) above(of, found);
            return found;
        }
    }
}
