// go.starlark.net's parser: functions, values of the file, and targets by their names.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"go.starlark.net/syntax"
)

func put(path string, line int32, name, container, kind string) {
	text, _ := json.Marshal(map[string]any{"path": path, "line": line, "name": name, "container": container, "kind": kind})
	fmt.Println(string(text))
}

func statements(path string, all []syntax.Stmt, seen map[string]bool, scope string) {
	for _, each := range all {
		switch each := each.(type) {
		case *syntax.DefStmt:
			put(path, each.Name.NamePos.Line, each.Name.Name, scope, "def")
			statements(path, each.Body, map[string]bool{}, each.Name.Name)
		case *syntax.IfStmt:
			if scope != "" {
				statements(path, each.True, seen, scope)
				statements(path, each.False, seen, scope)
			}
		case *syntax.ForStmt:
			if scope != "" {
				statements(path, each.Body, seen, scope)
			}
		case *syntax.AssignStmt:
			if each.Op == syntax.EQ && scope == "" {
				target(path, each.LHS, seen)
			}
		case *syntax.ExprStmt:
			if call, ok := each.X.(*syntax.CallExpr); ok && scope == "" {
				named(path, call)
			}
		}
	}
}

func target(path string, left syntax.Expr, seen map[string]bool) {
	switch left := left.(type) {
	case *syntax.Ident:
		if !seen[left.Name] {
			put(path, left.NamePos.Line, left.Name, "", "value")
		}
		seen[left.Name] = true
	case *syntax.TupleExpr:
		for _, each := range left.List {
			target(path, each, seen)
		}
	case *syntax.ParenExpr:
		target(path, left.X, seen)
	}
}

func named(path string, call *syntax.CallExpr) {
	for _, each := range call.Args {
		pair, ok := each.(*syntax.BinaryExpr)
		if !ok || pair.Op != syntax.EQ {
			continue
		}
		key, ok := pair.X.(*syntax.Ident)
		value, literal := pair.Y.(*syntax.Literal)
		if text, is := "", false; ok && literal && key.Name == "name" {
			if text, is = value.Value.(string); is {
				put(path, value.TokenPos.Line, text, "", "target")
			}
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		file, err := syntax.Parse(lines.Text(), nil, 0)
		if err != nil {
			row, _ := json.Marshal(map[string]string{"path": lines.Text(), "error": err.Error()})
			fmt.Println(string(row))
			continue
		}
		statements(lines.Text(), file.Stmts, map[string]bool{}, "")
	}
}
