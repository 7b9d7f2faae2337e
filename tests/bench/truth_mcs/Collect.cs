using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Mono.Cecil;
using Mono.Cecil.Cil;

/// <summary>Prints what Mono's compiler binds each name to, in files of C# that compile.</summary>
/// <remarks>
/// Arguments: the compiler (`mcs.exe`), then those of `mcs`. The compiler's code is changed
/// in memory so that it reports each lookup. Output: rows of `use`, `subtype` (a type and a direct
/// supertype) or `override` (a member, one that it overrides or implements) and two places, with
/// tabs between them. A place is a path, a line and a column, 1-based; an empty path is outside of
/// the files. What a place means in two ways, as in arguments of a call that was tried, is left out.
/// </remarks>
public static class Collect
{
    const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public
        | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    const string Outside = "\t0\t0";

    static readonly Dictionary<Tuple<Type, string>, Func<object, object>> getters
        = new Dictionary<Tuple<Type, string>, Func<object, object>>();
    static readonly Dictionary<string, string[]> texts = new Dictionary<string, string[]>();
    static readonly List<object> definitions = new List<object>();
    static readonly Dictionary<object, IEnumerable> bases = new Dictionary<object, IEnumerable>();
    static readonly List<object[]> uses = new List<object[]>();
    static readonly Dictionary<object, List<string>> places = new Dictionary<object, List<string>>();
    static readonly Dictionary<string, Dictionary<string, string>> known
        = new Dictionary<string, Dictionary<string, string>>();
    static readonly SortedSet<string> rows = new SortedSet<string>(StringComparer.Ordinal);
    static Assembly compiler;

    public static int Main(string[] words)
    {
        compiler = Assembly.Load(Woven(words[0]));
        Type entry = compiler.GetType("Mono.CSharp.CompilerCallableEntryPoint");
        try
        {
            entry.GetMethod("InvokeCompiler").Invoke(
                null, new object[] { words.Skip(1).ToArray(), Console.Error });
        }
        catch (TargetInvocationException error)  // as when it writes what it compiled
        {
            Console.Error.WriteLine(error.InnerException);
        }
        foreach (object one in definitions) AddDefinition(one);
        AddUses();
        foreach (object one in definitions) AddAbove(one);
        foreach (string row in rows) Console.WriteLine(row);
        return 0;
    }

    // What the compiler calls.

    public static void Set(object settings)
    {
        settings.GetType().GetField("TabSize").SetValue(settings, 1);  // columns count characters
    }

    public static void Define(object member) { definitions.Add(member); }

    public static void Inherit(object type, object written) { bases[type] = (IEnumerable) written; }

    public static void Use(object spec, object location)
    {
        if (spec != null) uses.Add(new[] { spec, location, null });
    }

    public static void Name(object expression, object meant)
    {
        if (Is(meant, "TypeExpr"))
            Use(Get(meant, "open_type") ?? Get(meant, "Type"), Get(expression, "loc"));
    }

    public static void Call(object group, object context)
    {
        object spec = group == null ? null : Get(group, "BestCandidate");
        if (spec == null) return;
        object receiver = Get(group, "InstanceExpression");
        object type = receiver == null ? Get(context, "CurrentType") : Get(receiver, "Type");
        uses.Add(new[] { spec, Get(group, "Location"), type });
    }

    public static void Make(object expression)
    {
        object spec = Get(expression, "method"), type = Get(expression, "RequestedType");
        if (spec != null && type != null) uses.Add(new[] { spec, Get(type, "Location"), null });
    }

    // The compiler's code.

    static byte[] Woven(string path)
    {
        AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(path);
        ModuleDefinition module = assembly.MainModule;
        Func<string, TypeDefinition> type = name => module.GetType("Mono.CSharp." + name);
        Action<string, string, string, string[]> at = (name, method, hook, what) =>
        {
            MethodInfo call = typeof(Collect).GetMethod(hook);
            foreach (MethodDefinition one in type(name).Methods.Where(one => one.Name == method))
                Weave(one, module.ImportReference(call), what);
        };
        at("CompilerSettings", ".ctor", "Set", new[] { "this" });
        at("MemberCore", ".ctor", "Define", new[] { "this" });
        at("TypeDefinition", "SetBaseTypes", "Inherit", new[] { "this", "List`1" });
        at("Expression", "ExprClassFromMemberInfo", "Use", new[] { "MemberSpec", "Location" });
        foreach (string name in new[] { "SimpleName", "MemberAccess", "QualifiedAliasMember" })
            foreach (string method in new[] { "LookupNameExpression", "ResolveAsTypeOrNamespace" })
                at(name, method, "Name", new[] { "this", "return" });
        at("LocalVariableReference", ".ctor", "Use", new[] { "LocalVariable", "Location" });
        at("ParameterReference", ".ctor", "Use", new[] { "ParameterInfo", "Location" });
        at("MethodGroupExpr", "OverloadResolve", "Call", new[] { "return", "ResolveContext" });
        at("ExtensionMethodGroupExpr", "OverloadResolve", "Call", new[] { "return", "ResolveContext" });
        at("New", "DoResolve", "Make", new[] { "this" });
        foreach (MethodDefinition one in type("CompilerCallableEntryPoint").Methods.Where(
            one => one.Name == "Reset" && one.HasParameters))
        {
            one.Body.Instructions.Clear();  // or places are forgotten at the end
            one.Body.Instructions.Add(Instruction.Create(OpCodes.Ret));
        }
        using (MemoryStream stream = new MemoryStream())
        {
            assembly.Write(stream);
            return stream.ToArray();
        }
    }

    /// <summary>Calls a hook before each return of a method with some of: `this`, `return`, and the
    /// first parameters of types.</summary>
    static void Weave(MethodDefinition method, MethodReference hook, string[] what)
    {
        List<Instruction> load = new List<Instruction>();
        VariableDefinition result = null;
        if (method.ReturnType.FullName != "System.Void")
        {
            result = new VariableDefinition(method.ReturnType);
            method.Body.Variables.Add(result);
        }
        foreach (string word in what)
        {
            ParameterDefinition parameter
                = method.Parameters.FirstOrDefault(one => one.ParameterType.Name == word);
            if (word == "this") load.Add(Instruction.Create(OpCodes.Ldarg_0));
            else if (word == "return") load.Add(Instruction.Create(OpCodes.Ldloc, result));
            else if (parameter == null) return;
            else
            {
                load.Add(Instruction.Create(OpCodes.Ldarg, parameter));
                if (parameter.ParameterType.IsValueType)
                    load.Add(Instruction.Create(OpCodes.Box, parameter.ParameterType));
            }
        }
        ILProcessor code = method.Body.GetILProcessor();
        foreach (Instruction one in method.Body.Instructions.ToList())
        {
            if (one.OpCode.OperandType == OperandType.ShortInlineBrTarget)
                one.OpCode = (OpCode) typeof(OpCodes).GetFields().First(field => field.Name
                    == one.OpCode.Code.ToString().Replace("_S", "")).GetValue(null);
            if (one.OpCode != OpCodes.Ret) continue;
            one.OpCode = OpCodes.Nop;
            Instruction last = one;
            Action<Instruction> add = next => { code.InsertAfter(last, next); last = next; };
            if (result != null) add(Instruction.Create(OpCodes.Stloc, result));
            foreach (Instruction next in load) add(Copy(next));
            add(Instruction.Create(OpCodes.Call, hook));
            if (result != null) add(Instruction.Create(OpCodes.Ldloc, result));
            add(Instruction.Create(OpCodes.Ret));
        }
    }

    static Instruction Copy(Instruction one)
    {
        if (one.Operand is VariableDefinition)
            return Instruction.Create(one.OpCode, (VariableDefinition) one.Operand);
        if (one.Operand is ParameterDefinition)
            return Instruction.Create(one.OpCode, (ParameterDefinition) one.Operand);
        if (one.Operand is TypeReference)
            return Instruction.Create(one.OpCode, (TypeReference) one.Operand);
        return Instruction.Create(one.OpCode);
    }

    /// <summary>Returns a field or a property of an object of the compiler; null without it.</summary>
    static object Get(object from, string name)
    {
        if (from == null) return null;
        Tuple<Type, string> key = Tuple.Create(from.GetType(), name);
        Func<object, object> getter;
        if (!getters.TryGetValue(key, out getter))
        {
            getter = of => null;
            for (Type type = key.Item1; type != null; type = type.BaseType)
            {
                FieldInfo field = type.GetField(name, All);
                PropertyInfo property = type.GetProperty(name, All);
                if (field != null) getter = field.GetValue;
                else if (property != null) getter = of => property.GetValue(of, null);
                else continue;
                break;
            }
            getters[key] = getter;
        }
        return getter(from);
    }

    static bool Is(object one, string type)
    {
        return one != null && compiler.GetType("Mono.CSharp." + type).IsInstanceOfType(one);
    }

    // Places.

    /// <summary>Returns the place of a name at or, if it need not be there, behind a location; null
    /// if the line has another text there.</summary>
    static string Place(object location, string name, bool isThere)
    {
        if (location == null || string.IsNullOrEmpty(name) || Get(location, "SourceFile") == null) return null;
        string path = (string) Get(location, "NameFullPath");
        int line = (int) Get(location, "Row"), column = (int) Get(location, "Column");
        if (!texts.ContainsKey(path)) texts[path] = File.ReadAllLines(path);
        if (line < 1 || line > texts[path].Length || column < 1) return null;
        string text = texts[path][line - 1];
        if (column > text.Length) return null;
        string begin = isThere ? @"\G@?" : @"(?<!\w)";
        Match match = new Regex(begin + "(" + Regex.Escape(name) + @")(?!\w)").Match(text, column - 1);
        return match.Success ? path + "\t" + line + "\t" + (match.Groups[1].Index + 1) : null;
    }

    static void AddDefinition(object member)
    {
        object name = Get(member, "MemberName");
        string place = Place(Get(name, "Location"), (string) Get(name, "Name"), false);
        if (place == null) return;
        object owner = Get(member, "PartialContainer") ?? member;
        if (!Is(member, "TypeDefinition")) owner = member;
        if (!places.ContainsKey(owner)) places[owner] = new List<string>();
        if (places[owner].Contains(place)) return;
        places[owner].Add(place);
        rows.Add("use\t" + place + "\t" + place);
    }

    static List<string> Found(object definition)
    {
        List<string> found;
        object owner = definition;
        if (Is(definition, "TypeDefinition")) owner = Get(definition, "PartialContainer") ?? definition;
        return owner != null && places.TryGetValue(owner, out found) ? found : null;
    }

    // Rows.

    static void AddUses()
    {
        foreach (object[] use in uses)
        {
            object spec = Overriding(use[0], use[2]), definition = Get(spec, "MemberDefinition");
            bool isMaker = Is(spec, "MethodSpec") && Get(spec, "Kind").ToString() == "Constructor";
            string name = (string) Get(isMaker ? Get(spec, "DeclaringType") : spec, "Name");
            string place = Place(use[1], name, true);
            if (place == null) continue;
            List<string> found = Found(definition);
            if (isMaker && found == null) continue;
            string what = isMaker ? "maker" : "other";
            string targets = found == null ? Outside : string.Join("\n", found);
            if (!known.ContainsKey(place)) known[place] = new Dictionary<string, string>();
            string before;
            bool isSame = !known[place].TryGetValue(what, out before) || before == targets;
            known[place][what] = isSame ? targets : null;
        }
        foreach (var one in known)
            if (!one.Value.Values.Contains(null))
                foreach (string target in one.Value.Values.SelectMany(text => text.Split('\n')))
                    rows.Add("use\t" + one.Key + "\t" + target);
    }

    /// <summary>Returns the places of the type that a name means; none outside of the files.</summary>
    static IEnumerable<string> Meant(string place)
    {
        Dictionary<string, string> meant;
        if (place == null || !known.TryGetValue(place, out meant) || !meant.ContainsKey("other"))
            return new string[0];
        return (meant["other"] ?? Outside).Split('\n').Where(one => one != Outside);
    }

    /// <summary>Returns the method of a receiver's type that overrides the one that the compiler
    /// chose, which is always that of the topmost type.</summary>
    static object Overriding(object spec, object type)
    {
        if (!Is(spec, "MethodSpec") || (bool) Get(spec, "IsStatic")) return spec;
        object top = Get(Get(spec, "DeclaringType"), "MemberDefinition");
        for (; type != null && Get(type, "MemberDefinition") != top; type = Get(type, "BaseType"))
        {
            object found = Get(Get(type, "MemberDefinition"), "MemberName") == null ? null : Same(type, spec, null);
            if (found != null && Get(found, "Modifiers").ToString().Contains("OVERRIDE")) return found;
        }
        return spec;
    }

    /// <summary>Returns the member of a type with the name and the parameters of another.</summary>
    static object Same(object type, object spec, string name)
    {
        object kind = Get(spec, "Kind");
        Type filterType = compiler.GetType("Mono.CSharp.MemberFilter");
        object filter = filterType.GetConstructors().First(one => one.GetParameters().Length == 5).Invoke(
            new[] { name ?? Get(spec, "Name"), Get(spec, "Arity") ?? 0, kind, Get(spec, "Parameters"), null });
        Type restriction = compiler.GetType("Mono.CSharp.BindingRestriction");
        return compiler.GetType("Mono.CSharp.MemberCache").GetMethod("FindMember").Invoke(
            null, new[] { type, filter, Enum.Parse(restriction, "DeclaredOnly") });
    }

    static void AddAbove(object member)
    {
        List<string> own = Found(member);
        if (own == null) return;
        if (Is(member, "ClassOrStruct") || Is(member, "Interface"))
        {
            object name = Get(member, "MemberName");
            string place = Place(Get(name, "Location"), (string) Get(name, "Name"), false);
            if (!bases.ContainsKey(member)) return;
            foreach (object one in bases[member])
                foreach (string above in Meant(Place(Get(one, "loc"), (string) Get(one, "Name"), true)))
                    rows.Add("subtype\t" + place + "\t" + above);
            return;
        }
        object spec = Get(member, "spec") ?? Get(member, "Spec");
        string what = spec == null ? null : Get(spec, "Kind").ToString();
        if (what != "Method" && what != "Property" && what != "Event") return;
        foreach (object type in Above(Get(spec, "DeclaringType"), new List<object>()))
        {
            string name = (string) Get(Get(member, "MemberName"), "Name");
            object found = Same(type, spec, name);
            foreach (string place in Found(Get(found, "MemberDefinition")) ?? new List<string>())
                rows.Add("override\t" + own[0] + "\t" + place);
        }
    }

    static List<object> Above(object type, List<object> found)
    {
        List<object> bases = new List<object> { Get(type, "BaseType") };
        bases.AddRange((Get(type, "Interfaces") as IEnumerable ?? new object[0]).Cast<object>());
        foreach (object one in bases.Where(one => one != null && !found.Contains(one)))
        {
            found.Add(one);
            Above(one, found);
        }
        return found;
    }
}
