// syn: every item of a Rust file, including items in the braces of a macro, and functions and types in functions.
use std::io::{BufRead, Write};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Walker<'a> {
    path: &'a str,
    scope: Vec<String>,
    out: String,
    inside: bool,
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn type_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|each| each.ident.to_string()),
        syn::Type::Reference(inner) => type_name(&inner.elem),
        syn::Type::Paren(inner) => type_name(&inner.elem),
        syn::Type::Group(inner) => type_name(&inner.elem),
        _ => None,
    }
}

impl<'a> Walker<'a> {
    fn put(&mut self, name: &syn::Ident, kind: &str) {
        let text = name.to_string();
        let plain = text.strip_prefix("r#").unwrap_or(&text);
        self.out.push_str(&format!(
            "{{\"path\":{},\"line\":{},\"name\":{},\"container\":{},\"kind\":\"{}\"}}\n",
            quote(self.path), name.span().start().line, quote(plain), quote(&self.scope.join(".")), kind
        ));
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        visit(self);
        self.scope.pop();
    }

    fn fields(&mut self, fields: &syn::Fields) {
        for field in fields {
            if let Some(name) = &field.ident {
                self.put(name, "field");
            }
        }
    }

    fn function(&mut self, name: &syn::Ident, kind: &str, block: Option<&syn::Block>) {
        self.put(name, kind);
        if let Some(block) = block {
            let outer = std::mem::replace(&mut self.inside, true);
            self.within(name.to_string(), |walker| walker.visit_block(block));
            self.inside = outer;
        }
    }
}

impl<'a, 'ast> Visit<'ast> for Walker<'a> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item::*;
        match item {
            Fn(i) => self.function(&i.sig.ident, "fn", Some(&i.block)),
            Struct(i) => {
                self.put(&i.ident, "struct");
                self.within(i.ident.to_string(), |walker| walker.fields(&i.fields));
            }
            Union(i) => {
                self.put(&i.ident, "union");
                self.within(i.ident.to_string(), |walker| walker.fields(&syn::Fields::Named(i.fields.clone())));
            }
            Enum(i) => {
                self.put(&i.ident, "enum");
                self.within(i.ident.to_string(), |walker| {
                    for variant in &i.variants {
                        walker.put(&variant.ident, "variant");
                        walker.within(variant.ident.to_string(), |walker| walker.fields(&variant.fields));
                    }
                });
            }
            Trait(i) => {
                self.put(&i.ident, "trait");
                self.within(i.ident.to_string(), |walker| {
                    for member in &i.items {
                        match member {
                            syn::TraitItem::Method(m) => walker.function(&m.sig.ident, "method", m.default.as_ref()),
                            syn::TraitItem::Const(m) => walker.put(&m.ident, "const"),
                            syn::TraitItem::Type(m) => walker.put(&m.ident, "associatedType"),
                            _ => {}
                        }
                    }
                });
            }
            TraitAlias(i) => self.put(&i.ident, "traitAlias"),
            Impl(i) => {
                let name = type_name(&i.self_ty);
                let named = name.is_some();
                if let Some(name) = name {
                    self.scope.push(name);
                }
                for member in &i.items {
                    match member {
                        syn::ImplItem::Method(m) => self.function(&m.sig.ident, "method", Some(&m.block)),
                        syn::ImplItem::Const(m) => self.put(&m.ident, "const"),
                        syn::ImplItem::Type(m) => self.put(&m.ident, "associatedType"),
                        _ => {}
                    }
                }
                if named {
                    self.scope.pop();
                }
            }
            Const(i) if !self.inside => self.put(&i.ident, "const"),
            Static(i) if !self.inside => self.put(&i.ident, "static"),
            Type(i) => self.put(&i.ident, "type"),
            Mod(i) => {
                if let Some((_, items)) = &i.content {
                    self.put(&i.ident, "mod");
                    self.within(i.ident.to_string(), |walker| items.iter().for_each(|each| walker.visit_item(each)));
                }
            }
            ForeignMod(i) => {
                for member in &i.items {
                    match member {
                        syn::ForeignItem::Fn(m) => self.put(&m.sig.ident, "fn"),
                        syn::ForeignItem::Static(m) => self.put(&m.ident, "static"),
                        syn::ForeignItem::Type(m) => self.put(&m.ident, "foreignType"),
                        _ => {}
                    }
                }
            }
            Macro(i) => {
                if let Some(name) = &i.ident {
                    self.put(name, "macro");
                } else if matches!(i.mac.delimiter, syn::MacroDelimiter::Brace(_)) {
                    if let Ok(file) = syn::parse2::<syn::File>(i.mac.tokens.clone()) {
                        file.items.iter().for_each(|each| self.visit_item(each));
                    }
                }
            }
            Macro2(i) => self.put(&i.ident, "macro"),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Ident(name), Some((_, value))) = (&local.pat, &local.init) {
            if let syn::Expr::Closure(_) = **value {
                self.put(&name.ident, "closure");
                let text = name.ident.to_string();
                self.within(text, |walker| walker.visit_expr(value));
                return;
            }
        }
        visit::visit_local(self, local);
    }
}

fn main() {
    let stdout = std::io::stdout();
    for path in std::io::stdin().lock().lines().map(|line| line.unwrap()) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let out = match syn::parse_file(&text) {
            Ok(file) => {
                let mut walker = Walker { path: &path, scope: vec![], out: String::new(), inside: false };
                file.items.iter().for_each(|each| walker.visit_item(each));
                walker.out
            }
            Err(error) => format!("{{\"path\":{},\"error\":{}}}\n", quote(&path), quote(&format!("{:?}", error.span().start()))),
        };
        stdout.lock().write_all(out.as_bytes()).unwrap();
    }
}
