; The grammar knows words and blocks only: what a word means is told by the words before it. The last word of a header is in the
; node of the block.
((command
  (unit (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.class
  (#eq? @_word "class"))
((command
  (unit (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.class
  (#eq? @_word "class"))
((command
  (unit (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.interface
  (#eq? @_word "interface"))
((command
  (unit (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.interface
  (#eq? @_word "interface"))
((command
  (unit (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.trait
  (#eq? @_word "trait"))
((command
  (unit (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.trait
  (#eq? @_word "trait"))
((command
  (unit (identifier) @_word) . (unit [(identifier) @name (generics_class . (identifier) @name)])
  (block "{" @body "}" @body)) @definition.enum
  (#eq? @_word "enum"))
((command
  (unit (identifier) @_word)
  . (block . (unit [(identifier) @name (generics_class . (identifier) @name)]) "{" @body "}" @body)) @definition.enum
  (#eq? @_word "enum"))
((command (unit (identifier) @_word) (block . (unit) [
    (command . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember . [(arg_spliter) "\n"])
    (command (arg_spliter) . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
    (command (block . (unit . (identifier) @name .) "{" @body "}" @body) @definition.enumMember)
    (end_command . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
    (end_command (arg_spliter) . (unit . [(identifier) @name (func . (identifier) @name)] .) @definition.enumMember)
  ]))
  (#eq? @_word "enum"))

; Methods: a type or `def` stands before them, but before a constructor.
((command (unit [(identifier) (generics_class)] @_type) . (block . (unit . (func (identifier) @name)) "{" @body "}" @body)) @definition.function
  (#not-match? @_type "^(return|else|new|throw|assert|in)$"))
((command . (block . (unit . (func (identifier) @name)) "{" @body "}" @body)) @definition.function
  (#match? @name "^[A-Z]"))
((command (unit (identifier) @_word) . (block . (string) @name "{" @body "}" @body)) @definition.function
  (#any-of? @_word "def" "void"))
((command (unit (identifier) @_word) (unit . (func (identifier) @name)) .) @definition.function
  (#eq? @_word "abstract"))
((command (unit (identifier) @_word) (block (command (unit) . (unit . (func (identifier) @name)) .) @definition.method))
  (#eq? @_word "interface"))

; Fields, and variables of scripts.
((command (unit (identifier) @_word) (block (command (unit) . (unit . (identifier) @name .) .) @definition.field))
  (#any-of? @_word "class" "enum" "trait"))
((command (unit (identifier) @_word) (block (command (unit) . (unit . (identifier) @name .) . (operators)) @definition.field))
  (#any-of? @_word "class" "enum" "trait"))
((command (unit (identifier) @_word) (block (command (unit) . (unit . (identifier) @name .) . (arg_spliter)) @definition.field))
  (#eq? @_word "class"))
((command (unit (identifier) @_word) (block (command (unit) (arg_spliter) . (unit . (identifier) @name .)) @definition.field))
  (#eq? @_word "class"))
((command (unit (identifier) @_word) (block (command (unit) . (unit . (identifier) @name .) . (block . (operators)) .) @definition.field))
  (#eq? @_word "class"))
((source_file (command (unit [(identifier) (generics_class)] @_type) . (unit . (identifier) @name .) . (operators)) @definition.variable)
  (#not-match? @_type "^(assert|return)$"))

; Tasks of Gradle.
((command (unit (identifier) @_word) . (block . (unit . (identifier) @name .) "{" @body "}" @body)) @definition.function
  (#eq? @_word "task"))
((command . (block . (unit
  (identifier) @_tasks . (func (identifier) @_call (arg_block . (string) @name))) "{" @body "}" @body)) @definition.function
  (#eq? @_tasks "tasks")
  (#any-of? @_call "register" "create"))

((command . (decorate) .) @doc (#set! doc attribute))
[(line_comment) (block_comment)] @doc
