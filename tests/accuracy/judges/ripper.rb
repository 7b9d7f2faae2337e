# Ripper, Ruby's own parser: classes, modules, methods, constants, accessors made by attr_*, aliases.
require "ripper"
require "json"

class Walker
  def initialize(path, out)
    @path, @out = path, out
  end

  def put(token, scope, kind, name = nil)
    @out << JSON.generate(path: @path, line: token[2][0], name: name || token[1], container: scope.join("."), kind: kind) << "\n"
  end

  # Returns the tokens of the path that names a class or constant.
  def path_of(node)
    case node[0]
    when :const_ref, :var_ref, :var_field, :top_const_ref, :top_const_field then [node[1]]
    when :const_path_ref, :const_path_field then (node[1].is_a?(Array) ? path_of(node[1]) : []) + [node[2]]
    else []
    end
  end

  def walk(node, scope, inside = false)
    return unless node.is_a?(Array)
    unless node[0].is_a?(Symbol)
      node.each { |child| walk(child, scope, inside) }
      return
    end
    case node[0]
    when :class, :module
      names = path_of(node[1]).select { |each| each.is_a?(Array) && each[0] == :@const }
      return if names.empty?
      outer = scope + names[0..-2].map { |each| each[1] }
      put(names[-1], outer, node[0].to_s)
      walk(node[2..], outer + [names[-1][1]], false)
    when :sclass then walk(node[2], scope, false)
    when :def
      put(node[1], scope, "method")
      walk(node[2..], scope + [node[1][1]], true)
    when :defs
      put(node[3], scope, "singletonMethod")
      walk(node[4..], scope + [node[3][1]], true)
    when :assign, :opassign
      names = path_of(node[1])
      if names.last.is_a?(Array) && names.last[0] == :@const && !inside
        put(names[-1], scope + names[0..-2].map { |each| each[1].to_s }, "constant")
        walk(node[2..], scope + [names[-1][1]], inside)
      else
        walk(node[1..], scope, inside)
      end
    when :massign
      flat(node[1]).each { |each| put(each, scope, "constant") unless inside }
      walk(node[2], scope, inside)
    when :command, :command_call, :method_add_arg then call(node, scope, inside)
    when :alias
      name = node[1][1].is_a?(Array) ? node[1][1] : nil
      name = name[1] if name && name[0].is_a?(Symbol) && !name[0].to_s.start_with?("@")
      put(name, scope, "alias") if name && name[2].is_a?(Array)
    else walk(node[1..], scope, inside)
    end
  end

  def flat(node)
    return [] unless node.is_a?(Array)
    return [node] if node[0] == :@const
    return flat(node[1]) if node[0] == :var_field
    node[0].is_a?(Symbol) ? [] : node.flat_map { |each| flat(each) }
  end

  ACCESSORS = %w[attr_accessor attr_reader attr_writer attr].freeze

  def call(node, scope, inside)
    word = node[0] == :command ? node[1][1] : node[0] == :method_add_arg && node[1][0] == :fcall ? node[1][1][1] : nil
    if ACCESSORS.include?(word) && !inside
      symbols(node[2]).each { |each| put(each, scope, "accessor") }
    elsif word == "alias_method" && !inside
      symbols(node[2]).first(1).each { |each| put(each, scope, "aliasMethod") }
    elsif word == "define_method"
      symbols(node[2]).first(1).each { |each| put(each, scope, "definedMethod") }
    end
    walk(node[1..], scope, inside)
  end

  # Returns the literal symbols and strings among arguments, but not those in nested calls.
  def symbols(node)
    return [] unless node.is_a?(Array)
    case node[0]
    when :symbol then node[1][2].is_a?(Array) ? [node[1]] : []
    when :string_content then node[1] && node[1][0] == :@tstring_content ? [node[1]] : []
    when :string_literal, :symbol_literal, :args_add_block, :arg_paren, :args_add then symbols(node[1])
    when Symbol then []
    else node.flat_map { |each| symbols(each) }
    end
  end
end

$stdin.each_line(chomp: true) do |path|
  tree = Ripper.sexp(File.read(path, encoding: "UTF-8"))
  out = +""
  if tree
    Walker.new(path, out).walk(tree, [])
  else
    out << JSON.generate(path: path, error: "syntax") << "\n"
  end
  $stdout.write(out)
end
