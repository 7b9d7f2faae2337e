#!/usr/bin/env escript
%% Erlang's own parser (epp_dodger): modules, functions, records and fields, types, macros, callbacks.
main(_) ->
    io:setopts([{encoding, unicode}]),
    each(io:get_line("")).

each(eof) -> ok;
each(Line) ->
    Path = string:trim(Line),
    case epp_dodger:quick_parse_file(Path) of
        {ok, Forms} ->
            case [F || {error, _} = F <- Forms] of
                [] ->
                    erase(module),
                    [form(Path, F) || F <- Forms],
                    {ok, Trees} = epp_dodger:parse_file(Path),
                    [tree(Path, T) || T <- Trees];
                _ -> io:format("{\"path\":\"~ts\",\"error\":\"syntax\"}~n", [Path])
            end;
        _ -> io:format("{\"path\":\"~ts\",\"error\":\"syntax\"}~n", [Path])
    end,
    each(io:get_line("")).

form(Path, {attribute, A, module, Name}) when is_atom(Name) ->
    put(Path, A, Name, "", "module"),
    put(module, atom_to_list(Name));
form(Path, {attribute, A, record, {Name, Fields}}) ->
    put(Path, A, Name, "", "record"),
    [field(Path, Name, F) || F <- Fields];
form(Path, {attribute, A, Word, {Name, _, _}}) when Word =:= type; Word =:= opaque -> put(Path, A, Name, "", "type");
form(Path, {attribute, A, callback, {{Name, _}, _}}) -> put(Path, A, Name, "", "callback");
form(Path, {function, A, Name, _, _}) when is_atom(Name) -> put(Path, A, Name, "", "function");
form(_, _) -> ok.

tree(Path, Tree) ->
    case erl_syntax:type(Tree) of
        attribute ->
            case catch erl_syntax:atom_value(erl_syntax:attribute_name(Tree)) of
                define ->
                    [Head | _] = erl_syntax:attribute_arguments(Tree),
                    Name = case erl_syntax:type(Head) of application -> erl_syntax:application_operator(Head); _ -> Head end,
                    case erl_syntax:type(Name) of
                        atom -> put(Path, erl_syntax:get_pos(Name), erl_syntax:atom_value(Name), "", "macro");
                        variable -> put(Path, erl_syntax:get_pos(Name), erl_syntax:variable_name(Name), "", "macro");
                        _ -> ok
                    end;
                _ -> ok
            end;
        _ -> ok
    end.

field(Path, Record, {typed_record_field, F, _}) -> field(Path, Record, F);
field(Path, Record, {record_field, _, {atom, A, Name}}) -> put(Path, A, Name, Record, "field");
field(Path, Record, {record_field, _, {atom, A, Name}, _}) -> put(Path, A, Name, Record, "field");
field(_, _, _) -> ok.

put(Path, A, Name, Scope, Kind) ->
    Outer = case get(module) of undefined -> []; Module -> [Module] end,
    Inner = case Scope of "" -> []; _ -> [io_lib:format("~ts", [Scope])] end,
    io:format("{\"path\":\"~ts\",\"line\":~p,\"name\":\"~ts\",\"container\":\"~ts\",\"kind\":\"~s\"}~n",
              [Path, erl_anno:line(A), string:replace(string:replace(atom_to_list(Name), "\\", "\\\\", all), "\"", "\\\"", all), lists:join(".", Outer ++ Inner), Kind]).
