; Variables: set by hand, asked for now and then, or listened to.
((list . (symbol) @_def . (symbol) @name) @definition.variable
  (#any-of? @_def "defvar" "defpoll" "deflisten" "defvar-script"))
; A widget is used as functions are, with arguments.
((list . (symbol) @_def . (symbol) @name . (array) . (_)? @body ")" @body) @definition.function
  (#eq? @_def "defwidget"))
((list . (symbol) @_def . (symbol) @name . (_) @body ")" @body) @definition.struct
  (#eq? @_def "defwindow"))

(comment) @doc
