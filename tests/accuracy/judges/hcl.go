// hclsyntax: blocks with labels, and the names that `locals` and the file itself set; for Terraform, only the blocks of a module.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

var kinds = map[string]string{"variable": "variable", "output": "variable", "module": "module", "component": "module", "stack": "module",
	"provider": "provider", "check": "check", "run": "check", "resource": "resource", "data": "data", "ephemeral": "data"}

type judge struct {
	path      string
	terraform bool
}

func (j judge) put(at hcl.Range, name string, scope []string, kind string) {
	row := map[string]any{"path": j.path, "line": at.Start.Line, "name": name, "container": strings.Join(scope, "."), "kind": kind}
	text, _ := json.Marshal(row)
	fmt.Println(string(text))
}

func (j judge) body(body *hclsyntax.Body, scope []string, top bool) {
	if top {
		for _, each := range body.Attributes {
			j.put(each.NameRange, each.Name, scope, "attribute")
		}
	}
	for _, block := range body.Blocks {
		inside := scope
		if count := len(block.Labels); count > 0 {
			kind, known := kinds[block.Type]
			if known || !j.terraform {
				if !known || !j.terraform {
					kind = "block"
				}
				owner := append(append([]string{}, scope...), block.Labels[:count-1]...)
				if kind == "data" {
					owner = append([]string{block.Type}, owner...)
				}
				j.put(block.LabelRanges[count-1], block.Labels[count-1], owner, kind)
				inside = append(owner, block.Labels[count-1])
			}
		} else if top && block.Type == "locals" {
			for _, each := range block.Body.Attributes {
				j.put(each.NameRange, each.Name, scope, "local")
			}
		}
		if alias, ok := block.Body.Attributes["alias"]; ok && j.terraform && block.Type == "provider" {
			if value, bad := alias.Expr.Value(nil); !bad.HasErrors() {
				j.put(alias.Expr.Range(), value.AsString(), block.Labels, "provider")
			}
		}
		if !j.terraform {
			j.body(block.Body, inside, false)
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		text, _ := os.ReadFile(lines.Text())
		file, bad := hclsyntax.ParseConfig(text, lines.Text(), hcl.InitialPos)
		if bad.HasErrors() {
			row, _ := json.Marshal(map[string]string{"path": lines.Text(), "error": bad.Error()})
			fmt.Println(string(row))
			continue
		}
		judge{lines.Text(), os.Args[1] == "terraform"}.body(file.Body.(*hclsyntax.Body), []string{}, true)
	}
}
