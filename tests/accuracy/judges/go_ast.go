// go/ast: every declaration of a Go file; in functions, only named types.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

type row struct {
	Path      string  `json:"path"`
	Line      int     `json:"line,omitempty"`
	Name      string  `json:"name,omitempty"`
	Container *string `json:"container,omitempty"`
	Kind      string  `json:"kind,omitempty"`
	Error     string  `json:"error,omitempty"`
}

type walker struct {
	path string
	set  *token.FileSet
	out  *json.Encoder
}

func (w walker) put(name *ast.Ident, container string, kind string) {
	w.out.Encode(row{Path: w.path, Line: w.set.Position(name.Pos()).Line, Name: name.Name, Container: &container, Kind: kind})
}

// Returns the name of a type, without pointer, package and type arguments.
func base(expr ast.Expr) *ast.Ident {
	switch e := expr.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return base(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.IndexListExpr:
		return base(e.X)
	case *ast.ParenExpr:
		return base(e.X)
	}
	return nil
}

func (w walker) fields(list *ast.FieldList, container string, member string) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			kind := member
			if _, ok := field.Type.(*ast.FuncType); ok && member == "methodSpec" {
				kind = "methodSpec"
			}
			w.put(name, container, kind)
			w.inner(field.Type, join(container, name.Name))
		}
		if len(field.Names) == 0 && member == "field" {
			if name := base(field.Type); name != nil {
				w.put(name, container, "embedded")
			}
		}
	}
}

func join(container, name string) string {
	if container == "" {
		return name
	}
	return container + "." + name
}

func (w walker) inner(expr ast.Expr, container string) {
	switch e := expr.(type) {
	case *ast.StructType:
		w.fields(e.Fields, container, "field")
	case *ast.InterfaceType:
		w.fields(e.Methods, container, "methodSpec")
	case *ast.StarExpr:
		w.inner(e.X, container)
	case *ast.ArrayType:
		w.inner(e.Elt, container)
	case *ast.MapType:
		w.inner(e.Value, container)
	case *ast.ParenExpr:
		w.inner(e.X, container)
	}
}

func (w walker) declaration(decl *ast.GenDecl, container string, local bool) {
	for _, spec := range decl.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			kind := "type"
			switch s.Type.(type) {
			case *ast.StructType:
				kind = "struct"
			case *ast.InterfaceType:
				kind = "interface"
			}
			w.put(s.Name, container, kind)
			w.inner(s.Type, join(container, s.Name.Name))
		case *ast.ValueSpec:
			for i, name := range s.Names {
				var value ast.Expr
				if i < len(s.Values) {
					value = s.Values[i]
				}
				_, function := value.(*ast.FuncLit)
				kind := decl.Tok.String()
				if function {
					kind = "literal"
				}
				if !local || function {
					w.put(name, container, kind)
				}
				if !local && s.Type != nil {
					w.inner(s.Type, join(container, name.Name))
				}
				if literal, ok := value.(*ast.CompositeLit); ok && !local && s.Type == nil {
					if _, ok := literal.Type.(*ast.StructType); ok {
						w.inner(literal.Type, join(container, name.Name))
					}
				}
				if value != nil {
					w.body(value, join(container, name.Name))
				}
			}
		}
	}
}

// Reports types and named function literals in a body.
func (w walker) body(node ast.Node, container string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.GenDecl:
			w.declaration(s, container, true)
			return false
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				name, ok := left.(*ast.Ident)
				if ok && i < len(s.Rhs) && s.Tok == token.DEFINE {
					if literal, ok := s.Rhs[i].(*ast.FuncLit); ok {
						w.put(name, container, "literal")
						w.body(literal.Body, join(container, name.Name))
						return false
					}
				}
			}
		case *ast.CallExpr:
			if name, literal := subtest(s); literal != nil {
				w.put(name, container, "subtest")
				w.body(literal.Body, join(container, name.Name))
				return false
			}
		}
		return true
	})
}

// t.Run("name", func(t *testing.T) {...}) is a test case with that name.
func subtest(call *ast.CallExpr) (*ast.Ident, *ast.FuncLit) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Run" || len(call.Args) != 2 {
		return nil, nil
	}
	title, ok := call.Args[0].(*ast.BasicLit)
	literal, isFunction := call.Args[1].(*ast.FuncLit)
	if !ok || !isFunction || title.Kind != token.STRING {
		return nil, nil
	}
	return &ast.Ident{NamePos: title.Pos(), Name: strings.Trim(title.Value, "\"`")}, literal
}

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for in.Scan() {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, in.Text(), nil, parser.SkipObjectResolution)
		if err != nil {
			encoder.Encode(row{Path: in.Text(), Error: err.Error()})
			continue
		}
		w := walker{in.Text(), set, encoder}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				w.declaration(d, "", false)
			case *ast.FuncDecl:
				container, kind := "", "func"
				if d.Recv != nil && len(d.Recv.List) > 0 {
					kind = "method"
					if name := base(d.Recv.List[0].Type); name != nil {
						container = name.Name
					}
				}
				w.put(d.Name, container, kind)
				if d.Body != nil {
					w.body(d.Body, join(container, d.Name.Name))
				}
			}
		}
	}
}
