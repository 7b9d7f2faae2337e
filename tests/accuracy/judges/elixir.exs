# Elixir's own parser: modules, functions (the first clause of each name and number of parameters), macros, structs, types, callbacks.
defmodule Judge do
  @defs %{def: "def", defp: "def", defmacro: "macro", defmacrop: "macro", defguard: "guard", defguardp: "guard", defdelegate: "def"}
  @types ~w(type typep opaque)a
  @callbacks ~w(callback macrocallback)a

  def run(path) do
    case Code.string_to_quoted(File.read!(path), columns: true, emit_warnings: false) do
      {:ok, tree} -> Process.put(:seen, MapSet.new()); walk(tree, path, [])
      {:error, _} -> IO.puts(~s({"path":#{quote_text(path)},"error":"syntax"}))
    end
  end

  defp quote_text(text), do: "\"" <> (text |> String.replace("\\", "\\\\") |> String.replace("\"", "\\\"")) <> "\""

  defp put(path, line, name, scope, kind, arity \\ 0) do
    seen = Process.get(:seen)
    key = {name, scope, kind, arity}
    if kind in ["module", "protocol", "callback"] or key not in seen do
      Process.put(:seen, MapSet.put(seen, key))
      IO.puts(~s({"path":#{quote_text(path)},"line":#{line},"name":#{quote_text(to_string(name))},"container":#{quote_text(Enum.join(scope, "."))},"kind":"#{kind}"}))
    end
  end

  defp walk({word, meta, [{:__aliases__, _, parts} = alias | rest]}, path, scope) when word in [:defmodule, :defprotocol] do
    if Enum.all?(parts, &is_atom/1) do
      name = Enum.map_join(parts, ".", &to_string/1)
      {_, place, _} = alias
      put(path, place[:line] || meta[:line], name, scope, if(word == :defmodule, do: "module", else: "protocol"))
      walk(rest, path, scope ++ [name])
    end
  end

  defp walk({:quote, _, _}, _, _), do: nil

  defp walk({word, _, [head | rest]}, path, scope) when is_map_key(@defs, word) do
    case head do
      {:when, _, [inner | _]} -> named(inner, path, scope, @defs[word])
      inner -> named(inner, path, scope, @defs[word])
    end
    walk(rest, path, scope ++ ["_"])
  end

  defp walk({:defstruct, _, _}, _, _), do: nil

  defp walk({:defimpl, _, [{:__aliases__, _, parts} | rest]}, path, scope) do
    if Enum.all?(parts, &is_atom/1), do: walk(rest, path, scope ++ [Enum.map_join(parts, ".", &to_string/1)])
  end

  defp walk({:@, meta, [{word, _, [_]}]}, path, scope) when word not in [:doc, :moduledoc, :typedoc, :spec, :impl, :type, :typep, :opaque, :callback, :macrocallback, :behaviour, :deprecated, :enforce_keys, :derive, :dialyzer, :compile, :external_resource, :optional_callbacks, :fallback_to_any, :before_compile, :after_compile, :on_load, :on_definition, :tag, :moduletag, :describetag, :vsn, :file, :since],
    do: put(path, meta[:line], word, scope, "attribute")

  defp walk({:@, _, [{word, _, [{:"::", _, [head | _]} | _]}]}, path, scope) when word in @types, do: named(head, path, scope, "type")
  defp walk({:@, _, [{word, _, [spec]}]}, path, scope) when word in @callbacks do
    case spec do
      {:when, _, [{:"::", _, [head | _]} | _]} -> named(head, path, scope, "callback")
      {:"::", _, [head | _]} -> named(head, path, scope, "callback")
      _ -> nil
    end
  end

  defp walk({left, _, right}, path, scope), do: (walk(left, path, scope); walk(right, path, scope))
  defp walk({left, right}, path, scope), do: (walk(left, path, scope); walk(right, path, scope))
  defp walk(list, path, scope) when is_list(list), do: Enum.each(list, &walk(&1, path, scope))
  defp walk(_, _, _), do: nil

  defp named({:unquote, _, _}, _, _, _), do: nil
  defp named({name, meta, parameters}, path, scope, kind) when is_atom(name) do
    # An operator is between its two operands, so no clause shows how many parameters it has.
    arity = if is_list(parameters) and Macro.classify_atom(name) == :identifier, do: length(parameters), else: 0
    put(path, meta[:line], name, scope, kind, arity)
  end
  defp named(_, _, _, _), do: nil
end

IO.stream(:stdio, :line) |> Enum.each(fn line -> Judge.run(String.trim_trailing(line, "\n")) end)
