import com.intellij.openapi.util.Disposer;
import com.intellij.psi.PsiElement;
import com.intellij.psi.util.PsiTreeUtil;
import java.io.File;
import java.util.*;
import org.jetbrains.kotlin.analyzer.AnalysisResult;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.descriptors.*;
import org.jetbrains.kotlin.psi.*;
import org.jetbrains.kotlin.resolve.*;
import org.jetbrains.kotlin.types.KotlinType;

/**
 * Prints what the Kotlin compiler binds each name to, in files that may lack dependencies.
 *
 * <p>Arguments: a class path, then files. Output as of `truth_javac/Collect.java`.
 */
public class Collect {
    static final String OUTSIDE = "\t0\t0";
    /** The places of declarations by whole names, because an import means all overloads. */
    static final Map<String, List<String>> NAMED = new HashMap<>();
    static final Map<KtFile, TreeMap<Integer, Integer>> STARTS = new HashMap<>();

    final Set<String> rows = new LinkedHashSet<>();
    final BindingContext context;

    Collect(BindingContext context) {
        this.context = context;
    }

    public static void main(String[] words) {
        CompilerConfiguration options = new CompilerConfiguration();
        options.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        options.put(CommonConfigurationKeys.MODULE_NAME, "main");
        options.put(JVMConfigurationKeys.JDK_HOME, new File(System.getProperty("java.home")));
        for (String jar : words[0].split(":")) JvmContentRootsKt.addJvmClasspathRoot(options, new File(jar));
        List<String> files = Arrays.asList(words).subList(1, words.length);
        ContentRootsKt.addKotlinSourceRoots(options, files);
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(
            Disposer.newDisposable(), options, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        AnalysisResult result = TopDownAnalyzerFacadeForJVM.analyzeFilesWithJavaIntegration(
            environment.getProject(), environment.getSourceFiles(), new NoScopeRecordCliBindingTrace(),
            options, environment::createPackagePartProvider);
        Collect collect = new Collect(result.getBindingContext());
        for (KtFile file : environment.getSourceFiles())
            for (KtNamedDeclaration one : PsiTreeUtil.findChildrenOfType(file, KtNamedDeclaration.class))
                if (nameOf(one) != null && one.getFqName() != null)
                    NAMED.computeIfAbsent(one.getFqName() + "", key -> new ArrayList<>()).add(nameOf(one));
        for (KtFile file : environment.getSourceFiles()) file.accept(collect.new Reader());
        System.out.println(String.join("\n", collect.rows));
        System.exit(0);  // the environment's threads go on
    }

    /** The place of the name of a declaration; null if it has none. */
    static String nameOf(PsiElement element) {
        if (element instanceof KtConstructor<?> maker)  // its type's, as a name
            return maker instanceof KtPrimaryConstructor ? nameOf(maker.getContainingClassOrObject()) : null;
        if (!(element instanceof KtNamedDeclaration declaration)) return null;
        return declaration.getNameIdentifier() == null ? null : place(declaration.getNameIdentifier());
    }

    static String place(PsiElement element) {
        KtFile file = (KtFile) element.getContainingFile();
        int offset = element.getTextRange().getStartOffset();
        var starts = STARTS.computeIfAbsent(file, Collect::starts).floorEntry(offset);
        return file.getVirtualFile().getPath() + "\t" + starts.getValue() + "\t" + (offset - starts.getKey() + 1);
    }

    /** The offsets of the lines of a file, and their numbers. */
    static TreeMap<Integer, Integer> starts(KtFile file) {
        TreeMap<Integer, Integer> starts = new TreeMap<>(Map.of(0, 1));
        String text = file.getText();
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.put(at + 1, starts.size() + 1);
        return starts;
    }

    static List<String> definitions(DeclarationDescriptor descriptor) {
        List<String> found = new ArrayList<>();
        for (DeclarationDescriptor one : DescriptorToSourceUtils.getEffectiveReferencedDescriptors(descriptor)) {
            String name = nameOf(DescriptorToSourceUtils.getSourceFromDescriptor(one));
            if (name == null && one instanceof ConstructorDescriptor maker)
                name = nameOf(DescriptorToSourceUtils.getSourceFromDescriptor(maker.getConstructedClass()));
            if (name != null) found.add(name);
        }
        return found;
    }

    /** What names mean, what types extend, and what members override. */
    class Reader extends KtTreeVisitorVoid {
        @Override public void visitSimpleNameExpression(KtSimpleNameExpression name) {
            super.visitSimpleNameExpression(name);
            boolean isWord = name.getText().matches("[\\w`$].*");  // not an operator
            if (!isWord || name.getParent() instanceof KtInstanceExpressionWithLabel) return;
            String use = "use\t" + place(name.getReferencedNameElement()) + "\t";
            KtImportDirective imported = PsiTreeUtil.getParentOfType(name, KtImportDirective.class);
            KtExpression of = imported == null ? null : imported.getImportedReference();
            boolean isLast = of != null
                && name.getTextRange().getEndOffset() == of.getTextRange().getEndOffset();
            List<String> named = isLast ? NAMED.getOrDefault(imported.getImportedFqName() + "", List.of()) : List.of();
            for (String definition : named) rows.add(use + definition);
            if (!named.isEmpty()) return;
            DeclarationDescriptor meant = context.get(BindingContext.SHORT_REFERENCE_TO_COMPANION_OBJECT, name);
            if (meant == null) meant = context.get(BindingContext.REFERENCE_TARGET, name);
            if (meant == null || meant instanceof PackageViewDescriptor || meant instanceof PackageFragmentDescriptor)
                return;
            List<String> found = definitions(meant);
            if (found.isEmpty()) rows.add(use + OUTSIDE);
            for (String definition : found) rows.add(use + definition);
        }

        @Override public void visitNamedDeclaration(KtNamedDeclaration declaration) {
            super.visitNamedDeclaration(declaration);
            String name = nameOf(declaration);
            if (name != null && !(declaration instanceof KtConstructor)) rows.add("use\t" + name + "\t" + name);
            DeclarationDescriptor descriptor = context.get(BindingContext.DECLARATION_TO_DESCRIPTOR, declaration);
            if (declaration instanceof KtParameter parameter && parameter.hasValOrVar())
                descriptor = context.get(BindingContext.PRIMARY_CONSTRUCTOR_PARAMETER, parameter);
            if (name != null && descriptor instanceof CallableMemberDescriptor member)
                for (CallableMemberDescriptor other : overridden(member, new LinkedHashSet<>()))
                    for (String above : definitions(other)) rows.add("override\t" + name + "\t" + above);
            if (declaration instanceof KtClassOrObject && !(declaration instanceof KtEnumEntry)
                    && descriptor instanceof ClassDescriptor type) {
                String place = name != null ? name : placeAround(declaration);
                for (KotlinType base : type.getTypeConstructor().getSupertypes()) {
                    ClassifierDescriptor above = base.getConstructor().getDeclarationDescriptor();
                    if (above == null || place == null) continue;
                    for (String of : definitions(above)) rows.add("subtype\t" + place + "\t" + of);
                }
            }
        }

        Set<CallableMemberDescriptor> overridden(CallableMemberDescriptor member, Set<CallableMemberDescriptor> found) {
            for (CallableMemberDescriptor one : member.getOverriddenDescriptors())
                if (found.add(one)) overridden(one, found);
            return found;
        }

        /** The place of the member or type around a type without a name. */
        String placeAround(PsiElement element) {
            for (PsiElement around = element.getParent(); around != null; around = around.getParent()) {
                boolean isLocal = around instanceof KtProperty property && property.isLocal()
                    || around instanceof KtFunctionLiteral || around instanceof KtParameter;
                String name = isLocal ? null : nameOf(around);
                if (name != null) return name;
            }
            return null;
        }
    }
}
