// Mono's C# compiler: every type and member of its tree.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Mono.CSharp;

class Quiet : ReportPrinter {}

static class MonoCs
{
    static TextWriter stdout;
    static string path;

    static string Quote(string text)
    {
        return "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
    }

    static void Put(Location at, string name, string scope, string kind)
    {
        stdout.Write("{\"path\":" + Quote(path) + ",\"line\":" + at.Row + ",\"name\":" + Quote(name) + ",\"container\":" + Quote(scope) + ",\"kind\":\"" + kind + "\"}\n");
    }

    static string Join(string scope, string name)
    {
        return scope == "" ? name : scope + "." + name;
    }

    static string Dotted(MemberName name)
    {
        return name.Left == null ? name.Name : Dotted(name.Left) + "." + name.Name;
    }

    static Location First(MemberName name)
    {
        return name.Left == null ? name.Location : First(name.Left);
    }

    static void Types(TypeContainer container, string scope)
    {
        if (container.Containers == null) return;
        foreach (var type in container.Containers)
        {
            if (type is NamespaceContainer)
            {
                if (type.MemberName == null) { Types(type, scope); continue; }
                string name = Dotted(type.MemberName);
                Put(First(type.MemberName), name, scope, "namespace");
                Types(type, Join(scope, name));
                continue;
            }
            if (type.MemberName == null || type.GetType().Name.Contains("Anonymous") || type.GetType().Name.Contains("Storey")) continue;
            string kind = type is Interface ? "interface" : type is Struct ? "struct" : type is Mono.CSharp.Enum ? "enum" : type is Mono.CSharp.Delegate ? "delegate" : "class";
            Put(type.MemberName.Location, type.MemberName.Name, scope, kind);
            string inner = Join(scope, type.MemberName.Name);
            var definition = type as TypeDefinition;
            if (definition != null && !(type is Mono.CSharp.Delegate)) Members(definition, inner);
            Types(type, inner);
        }
    }

    static void Members(TypeDefinition type, string scope)
    {
        foreach (var member in type.Members)
        {
            string kind = member is EnumMember ? "enumMember" : member is Const ? "const" : member is FieldBase ? "field" : member is Constructor ? "constructor"
                : member is Destructor ? "destructor" : member is Operator ? "operator" : member is Indexer ? "indexer" : member is PropertyBase ? "property"
                : member is Event ? "event" : member is Method ? "method" : null;
            if (kind == null || member is TypeContainer) continue;
            string name = member is Indexer ? "this" : member is Destructor ? "~" + type.MemberName.Name : member is Constructor ? type.MemberName.Name : member.MemberName.Name;
            if (member.MemberName.Name.Contains("<")) continue;
            Put(member.Location, name, scope, kind);
            var field = member as FieldBase;
            if (field != null && field.Declarators != null)
                foreach (var more in field.Declarators) Put(more.Name.Location, more.Name.Value, scope, kind);
            var happening = member as EventField;
            if (happening != null && happening.Declarators != null)
                foreach (var more in happening.Declarators) Put(more.Name.Location, more.Name.Value, scope, kind);
        }
    }

    // Lines between #if and #endif, because the tree lacks what the compiler leaves out there.
    static void Dark()
    {
        int number = 0, depth = 0, start = 0;
        foreach (var line in File.ReadLines(path))
        {
            number++;
            string text = line.TrimStart();
            if (text.StartsWith("#if") && depth++ == 0) start = number;
            if (text.StartsWith("#endif") && --depth == 0)
                stdout.Write("{\"path\":" + Quote(path) + ",\"skip\":[" + start + "," + number + "]}\n");
        }
    }

    static void Main()
    {
        stdout = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8);
        while ((path = input.ReadLine()) != null)
        {
            var settings = new CompilerSettings { Version = LanguageVersion.Experimental, Unsafe = true };
            var context = new CompilerContext(settings, new Quiet());
            var file = new SourceFile(path, path, 1);
            Location.Reset();
            Location.Initialize(new List<SourceFile> { file });
            var module = new ModuleContainer(context);
            var source = new CompilationSourceFile(module, file);
            module.AddTypeContainer(source);
            using (var stream = File.OpenRead(path))
            {
                var parser = new CSharpParser(new SeekableStreamReader(stream, Encoding.UTF8), source, new ParserSession());
                try { parser.parse(); } catch (Exception error) { Console.Error.WriteLine(error); }
            }
            if (context.Report.Errors > 0) stdout.Write("{\"path\":" + Quote(path) + ",\"error\":\"syntax\"}\n");
            else { Types(source, ""); Dark(); }
        }
        stdout.Flush();
    }
}
