; The grammar knows words and blocks only: what a word means is told by the words before it. The last word of a header is in the
; node of the block. `class` and the like are seen as annotations (`@lass`, see `mend`): there are few others, so this is quick to find.
((command
  (decorate (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.class
  (#eq? @_word "lass"))
((command
  (decorate (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.class
  (#eq? @_word "lass"))
((command
  (decorate (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.interface
  (#eq? @_word "nterface"))
((command
  (decorate (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.interface
  (#eq? @_word "nterface"))
((command
  (decorate (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.trait
  (#eq? @_word "rait"))
((command
  (decorate (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.trait
  (#eq? @_word "rait"))
((command
  (decorate (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.enum
  (#eq? @_word "num"))
((command
  (decorate (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.enum
  (#eq? @_word "num"))
((command (decorate (identifier) @_word) (block . (unit . [(identifier) (generics_class)] .) [
    (command . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember . [(arg_spliter) "\n"])
    (command (arg_spliter) . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
    (command (block . (unit . (identifier) @name .) "{" @body "}" @body) @definition.enumMember)
    (end_command . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
    (end_command (arg_spliter) . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
  ]))
  (#eq? @_word "num"))

; Methods: a type or `def` stands before them, but before a constructor. The brace comes next, or another would be waited for.
((command
  (unit . [(identifier) (generics_class)] @_type)
  . (block . (unit . (func . (identifier) @name)) . (block_comment)? . "{" @body "}" @body)) @definition.function
  (#not-match? @_type "^(return|else|new|throw|assert|in)$"))
((command . (block . (unit . (func . (identifier) @name)) . (block_comment)? . "{" @body "}" @body)) @definition.function
  (#match? @name "^[A-Z]"))
((command (unit (identifier) @_word) . (block . (string) @name "{" @body "}" @body)) @definition.function
  (#any-of? @_word "def" "void"))
((command (unit (identifier) @_word) (unit . (func . (identifier) @name)) .) @definition.function
  (#eq? @_word "abstract"))
((command
  (decorate (identifier) @_word)
  (block . (unit . [(identifier) (generics_class)] .) (command (unit) . (unit . (func . (identifier) @name)) .) @definition.method))
  (#eq? @_word "nterface"))

; Fields, and variables of scripts.
((command (decorate (identifier) @_word) (block . (unit . [(identifier) (generics_class)] .) (command (unit) @_type . (unit . (identifier) @name .) .) @definition.field))
  (#any-of? @_word "lass" "num" "rait") (#not-eq? @_type "as") (#not-eq? @_type "in") (#not-eq? @_type "return"))
((command
  (decorate (identifier) @_word)
  (block . (unit . [(identifier) (generics_class)] .) 
    (command (unit) . (unit . (identifier) @name .) . [(operators) (arg_spliter) (block . (operators))]) @definition.field))
  (#any-of? @_word "lass" "num" "rait"))
((command
  (decorate (identifier) @_word)
  (block . (unit . [(identifier) (generics_class)] .) (command . (unit) (arg_spliter) . (unit . (identifier) @name .)) @definition.field))
  (#eq? @_word "lass"))
((source_file (command (unit . [(identifier) (generics_class)] @_type) . (unit . (identifier) @name .) . (operators)) @definition.variable)
  (#not-match? @_type "^(assert|return)$"))
((source_file (command (unit . (identifier) @_type) . (unit . (identifier) @name .) . (block . (operators) "{" @body "}" @body)) @definition.variable)
  (#not-match? @_type "^(assert|return)$"))
((source_file (command . (unit . (func . (identifier) @_def (arg_block (unit . (identifier) @name .)))) . (operators)) @definition.variable)
  (#eq? @_def "def"))

; Tasks of Gradle.
((command (unit (identifier) @_word) . (block . (unit . (identifier) @name .) "{" @body "}" @body)) @definition.function
  (#eq? @_word "task"))
((command . (block . (unit
  (identifier) @_tasks . (func (identifier) @_call (arg_block . (string) @name))) "{" @body "}" @body)) @definition.function
  (#eq? @_tasks "tasks")
  (#any-of? @_call "register" "create"))

((command . (decorate) .) @doc (#set! doc attribute))
[(line_comment) (block_comment)] @doc
