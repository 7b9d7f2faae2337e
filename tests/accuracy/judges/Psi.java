// Kotlin's PSI: every declaration of a file, including named functions and classes in functions.
import com.intellij.openapi.Disposable;
import com.intellij.openapi.util.Disposer;
import com.intellij.psi.*;
import com.intellij.psi.util.PsiTreeUtil;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.psi.*;

public class Psi {
    static final StringBuilder out = new StringBuilder();

    static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ").replace("\t", " ") + "\"";
    }

    static String path;
    static String text;

    static void put(PsiElement at, String name, List<String> scope, String kind) {
        int line = 1;
        for (int i = 0; i < at.getTextOffset() && i < text.length(); i++) if (text.charAt(i) == '\n') line++;
        out.append("{\"path\":" + quote(path) + ",\"line\":" + line + ",\"name\":" + quote(name) + ",\"container\":" + quote(String.join(".", scope)) + ",\"kind\":\"" + kind + "\"}\n");
    }

    static List<String> plus(List<String> scope, String name) {
        List<String> more = new ArrayList<>(scope);
        more.addAll(Arrays.asList(name.split("\\.")));
        return more;
    }

    // Returns the name of a receiver's type, without type arguments.
    static String receiver(KtTypeReference type) {
        if (type == null) return null;
        KtTypeElement element = type.getTypeElement();
        while (element instanceof KtNullableType) element = ((KtNullableType) element).getInnerType();
        if (!(element instanceof KtUserType)) return "";
        String name = "";
        for (KtUserType at = (KtUserType) element; at != null; at = at.getQualifier()) name = at.getReferencedName() + (name.isEmpty() ? "" : "." + name);
        return name;
    }

    static boolean isFunction(KtExpression value) {
        return value instanceof KtLambdaExpression || value instanceof KtNamedFunction;
    }

    static void walk(PsiElement node, List<String> scope, boolean local) {
        for (PsiElement child = node.getFirstChild(); child != null; child = child.getNextSibling()) visit(child, scope, local);
    }

    static void visit(PsiElement node, List<String> scope, boolean local) {
        if (node instanceof KtEnumEntry) {
            KtEnumEntry entry = (KtEnumEntry) node;
            put(entry.getNameIdentifier(), entry.getName(), scope, "enumEntry");
            walk(node, plus(scope, entry.getName()), local);
        } else if (node instanceof KtObjectDeclaration && (((KtObjectDeclaration) node).isObjectLiteral() || ((KtObjectDeclaration) node).getNameIdentifier() == null)) {
            walk(node, scope, local);
        } else if (node instanceof KtClassOrObject) {
            KtClassOrObject type = (KtClassOrObject) node;
            if (type.getName() == null || type.getNameIdentifier() == null) return;
            String kind = node instanceof KtObjectDeclaration ? "object" : ((KtClass) node).isInterface() ? "interface" : ((KtClass) node).isEnum() ? "enum" : "class";
            put(type.getNameIdentifier(), type.getName(), scope, kind);
            List<String> inner = plus(scope, type.getName());
            KtPrimaryConstructor primary = type.getPrimaryConstructor();
            if (primary != null) for (KtParameter each : primary.getValueParameters()) if (each.hasValOrVar()) put(each.getNameIdentifier(), each.getName(), inner, "parameterProperty");
            walk(node, inner, false);
        } else if (node instanceof KtNamedFunction) {
            KtNamedFunction function = (KtNamedFunction) node;
            if (function.getNameIdentifier() == null) {
                walk(node, scope, true);
                return;
            }
            String owner = receiver(function.getReceiverTypeReference());
            List<String> outer = owner == null || owner.isEmpty() ? scope : plus(scope, owner);
            put(function.getNameIdentifier(), function.getName(), outer, owner != null ? "extension" : "function");
            walk(node, plus(outer, function.getName()), true);
        } else if (node instanceof KtSecondaryConstructor) {
            put(((KtSecondaryConstructor) node).getConstructorKeyword(), "constructor", scope, "secondary");
            walk(node, plus(scope, "constructor"), true);
        } else if (node instanceof KtProperty) {
            KtProperty property = (KtProperty) node;
            String owner = receiver(property.getReceiverTypeReference());
            List<String> outer = owner == null || owner.isEmpty() ? scope : plus(scope, owner);
            boolean function = isFunction(property.getInitializer());
            if (property.getNameIdentifier() != null && (!local || function)) put(property.getNameIdentifier(), property.getName(), outer, function ? "functionProperty" : "property");
            walk(node, property.getName() == null || local && !function ? outer : plus(outer, property.getName()), local || function);
        } else if (node instanceof KtTypeAlias) {
            put(((KtTypeAlias) node).getNameIdentifier(), ((KtTypeAlias) node).getName(), scope, "typealias");
        } else {
            walk(node, scope, local || node instanceof KtFunctionLiteral || node instanceof KtClassInitializer || node instanceof KtPropertyAccessor);
        }
    }

    public static void main(String[] args) throws Exception {
        PrintStream stdout = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        Disposable disposable = Disposer.newDisposable();
        CompilerConfiguration configuration = new CompilerConfiguration();
        configuration.put(CommonConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        configuration.put(CommonConfigurationKeys.MODULE_NAME, "judge");
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(disposable, configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        KtPsiFactory factory = new KtPsiFactory(environment.getProject(), false);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while ((path = in.readLine()) != null) {
            text = Files.readString(Path.of(path)).replace("\r\n", "\n");
            KtFile file = factory.createFile(Path.of(path).getFileName().toString(), text);
            if (PsiTreeUtil.findChildOfType(file, PsiErrorElement.class) != null) out.append("{\"path\":" + quote(path) + ",\"error\":\"syntax\"}\n");
            else walk(file, new ArrayList<>(), false);
            stdout.print(out);
            out.setLength(0);
        }
        stdout.flush();
        System.exit(0);
    }
}
