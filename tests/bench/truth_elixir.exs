# Links of an Elixir project, from the events of its compilation.
#
# elixir trace.exs ROOT INTO FILE...: compiles the files, which are below the folder ROOT, and writes their links.
defmodule Trace do
  def trace({kind, meta, module, name, arity}, env)
      when kind in [:remote_function, :remote_macro, :imported_function, :imported_macro] do
    event(env, meta, {:call, module, name, arity})
  end

  def trace({kind, meta, name, arity}, env) when kind in [:local_function, :local_macro] do
    event(env, meta, {:call, env.module, name, arity})
  end

  def trace({:imported_quoted, meta, module, name, arities}, env) do
    for arity <- arities, do: event(env, meta, {:call, module, name, arity})
    :ok
  end

  def trace({kind, meta, module, _}, env) when kind in [:struct_expansion, :import, :require] do
    event(env, meta, {:module, module})
  end

  def trace({:alias, meta, module, _as, _}, env), do: event(env, meta, {:module, module})
  def trace({:alias_reference, meta, module}, env), do: event(env, meta, {:module, module})

  def trace({:on_module, bytecode, _}, env) do
    {:ok, {_, [debug_info: {_, _, {:elixir_v1, info, _}}]}} = :beam_lib.chunks(bytecode, [:debug_info])

    :ets.insert(
      :trace,
      {:module, env.module, env.file, env.line,
       for({{name, arity}, kind, meta, _} <- info.definitions, do: {name, arity, kind, meta[:line], meta[:file]}),
       for({:behaviour, module} <- info.attributes, do: module)}
    )

    :ok
  end

  def trace(_, _), do: :ok

  defp event(env, meta, what) do
    :ets.insert(:trace, {:use, env.file, meta[:line], meta[:column], what, env.module})
    :ok
  end
end

[root, into | files] = System.argv()
:ets.new(:trace, [:named_table, :public, :duplicate_bag])
Code.put_compiler_option(:parser_options, columns: true)
Code.put_compiler_option(:tracers, [Trace])
Code.put_compiler_option(:ignore_module_conflict, true)
ExUnit.start(autorun: false)
{code, test} = Enum.split_with(files, &(not String.ends_with?(&1, ".exs")))
IO.inspect(Kernel.ParallelCompiler.compile(code) |> elem(0))

for file <- test do
  try do
    Code.compile_file(file)
  rescue
    error -> IO.puts("#{file}: #{Exception.message(error) |> String.slice(0, 200)}")
  end
end

path = fn file -> file |> to_string() |> Path.expand() |> Path.relative_to(Path.expand(root)) end

rows =
  :ets.tab2list(:trace)
  |> Enum.map(fn
    {:use, file, line, column, {:call, module, name, arity}, within} ->
      ["call", path.(file), line || 0, column || 0, inspect(module), to_string(name), arity, inspect(within)]

    {:use, file, line, column, {:module, module}, within} ->
      ["module", path.(file), line || 0, column || 0, inspect(module), inspect(within)]

    {:module, module, file, line, definitions, behaviours} ->
      [
        "define", path.(file), line, inspect(module),
        for({name, arity, kind, line, file} <- definitions, do: [to_string(name), arity, to_string(kind), line || 0, if(file, do: inspect(file), else: "")]),
        Enum.map(behaviours, &inspect/1)
      ]
  end)

File.write!(into, Enum.map(rows, &[inspect(&1, limit: :infinity, printable_limit: :infinity), "\n"]))
