(* OCaml's compiler-libs: every item of structures and signatures. *)
open Parsetree
open Asttypes

let path = ref ""

let put (name : string loc) scope kind =
  if name.txt <> "" then
    Printf.printf "{\"path\":%S,\"line\":%d,\"name\":%S,\"container\":%S,\"kind\":%S}\n" !path
      name.loc.loc_start.pos_lnum name.txt (String.concat "." (List.rev scope)) kind

let rec names_of pattern =
  match pattern.ppat_desc with
  | Ppat_var name -> [ name ]
  | Ppat_alias (inner, name) -> name :: names_of inner
  | Ppat_tuple parts | Ppat_array parts -> List.concat_map names_of parts
  | Ppat_construct (_, Some (_, inner)) | Ppat_constraint (inner, _) | Ppat_lazy inner | Ppat_open (_, inner) -> names_of inner
  | Ppat_record (fields, _) -> List.concat_map (fun (_, inner) -> names_of inner) fields
  | _ -> []

let rec is_function e =
  match e.pexp_desc with
  | Pexp_fun _ | Pexp_function _ -> true
  | Pexp_newtype (_, e) | Pexp_constraint (e, _) -> is_function e
  | _ -> false

let constructor scope (c : constructor_declaration) =
  put c.pcd_name scope "constructor";
  match c.pcd_args with
  | Pcstr_record labels -> List.iter (fun l -> put l.pld_name (c.pcd_name.txt :: scope) "label") labels
  | _ -> ()

let type_ scope (t : type_declaration) =
  let inner = t.ptype_name.txt :: scope in
  match t.ptype_kind with
  | Ptype_variant all -> put t.ptype_name scope "variant"; List.iter (constructor inner) all
  | Ptype_record labels -> put t.ptype_name scope "record"; List.iter (fun l -> put l.pld_name inner "label") labels
  | _ -> put t.ptype_name scope "type"

let option (name : string option loc) = { txt = Option.value name.txt ~default:""; loc = name.loc }

let rec structure scope items = List.iter (item scope) items

and item scope i =
  match i.pstr_desc with
  | Pstr_value (_, bindings) ->
      List.iter (fun b -> List.iter (fun n -> put n scope (if is_function b.pvb_expr then "function" else "value")) (names_of b.pvb_pat)) bindings
  | Pstr_primitive v -> put v.pval_name scope "external"
  | Pstr_type (_, all) -> List.iter (type_ scope) all
  | Pstr_exception e -> put e.ptyexn_constructor.pext_name scope "exception"
  | Pstr_typext t -> List.iter (fun c -> put c.pext_name scope "extension") t.ptyext_constructors
  | Pstr_module m -> module_ scope m
  | Pstr_recmodule all -> List.iter (module_ scope) all
  | Pstr_modtype t -> put t.pmtd_name scope "signature"; Option.iter (module_type (t.pmtd_name.txt :: scope)) t.pmtd_type
  | Pstr_class all -> List.iter (fun c -> put c.pci_name scope "class"; class_ (c.pci_name.txt :: scope) c.pci_expr) all
  | Pstr_class_type all -> List.iter (fun c -> put c.pci_name scope "classType"; class_type (c.pci_name.txt :: scope) c.pci_expr) all
  | Pstr_include i -> module_expr scope i.pincl_mod
  | Pstr_open o -> module_expr scope o.popen_expr
  | _ -> ()

and module_ scope m =
  put (option m.pmb_name) scope "module";
  module_expr (match m.pmb_name.txt with Some n -> n :: scope | None -> scope) m.pmb_expr

and module_expr scope m =
  match m.pmod_desc with
  | Pmod_structure items -> structure scope items
  | Pmod_functor (parameter, inner) -> argument scope parameter; module_expr scope inner
  | Pmod_constraint (inner, t) -> module_expr scope inner; module_type scope t
  | Pmod_apply (f, x) -> module_expr scope f; module_expr scope x
  | _ -> ()

and argument scope = function
  | Named (_, t) -> module_type scope t
  | Unit -> ()

and module_type scope t =
  match t.pmty_desc with
  | Pmty_signature items -> signature scope items
  | Pmty_functor (parameter, inner) -> argument scope parameter; module_type scope inner
  | Pmty_with (inner, _) -> module_type scope inner
  | _ -> ()

and class_ scope c =
  match c.pcl_desc with
  | Pcl_structure s ->
      List.iter (fun f -> match f.pcf_desc with
        | Pcf_method (n, _, _) -> put n scope "method"
        | Pcf_val (n, _, _) -> put n scope "instanceVariable"
        | _ -> ()) s.pcstr_fields
  | Pcl_fun (_, _, _, inner) | Pcl_let (_, _, inner) | Pcl_constraint (inner, _) -> class_ scope inner
  | _ -> ()

and class_type scope c =
  match c.pcty_desc with
  | Pcty_signature s ->
      List.iter (fun f -> match f.pctf_desc with
        | Pctf_method (n, _, _, _) -> put n scope "method"
        | Pctf_val (n, _, _, _) -> put n scope "instanceVariable"
        | _ -> ()) s.pcsig_fields
  | Pcty_arrow (_, _, inner) -> class_type scope inner
  | _ -> ()

and signature scope items =
  List.iter (fun i -> match i.psig_desc with
    | Psig_value v -> put v.pval_name scope (if v.pval_prim = [] then "val" else "external")
    | Psig_type (_, all) | Psig_typesubst all -> List.iter (type_ scope) all
    | Psig_exception e -> put e.ptyexn_constructor.pext_name scope "exception"
    | Psig_typext t -> List.iter (fun c -> put c.pext_name scope "extension") t.ptyext_constructors
    | Psig_module m ->
        put (option m.pmd_name) scope "module";
        module_type (match m.pmd_name.txt with Some n -> n :: scope | None -> scope) m.pmd_type
    | Psig_modsubst m -> put m.pms_name scope "module"
    | Psig_recmodule all -> List.iter (fun m -> put (option m.pmd_name) scope "module") all
    | Psig_modtype t -> put t.pmtd_name scope "signature"; Option.iter (module_type (t.pmtd_name.txt :: scope)) t.pmtd_type
    | Psig_class all -> List.iter (fun c -> put c.pci_name scope "class"; class_type (c.pci_name.txt :: scope) c.pci_expr) all
    | Psig_class_type all -> List.iter (fun c -> put c.pci_name scope "classType"; class_type (c.pci_name.txt :: scope) c.pci_expr) all
    | _ -> ()) items

let () =
  try
    while true do
      path := input_line stdin;
      let channel = open_in_bin !path in
      let buffer = Lexing.from_channel channel in
      (try
         if Filename.check_suffix !path ".mli" then signature [] (Parse.interface buffer)
         else structure [] (Parse.implementation buffer)
       with _ -> Printf.printf "{\"path\":%S,\"error\":\"syntax\"}\n" !path);
      close_in channel
    done
  with End_of_file -> ()
