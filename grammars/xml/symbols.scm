; Elements that have a name or an id: by these other places refer to them.
((element (STag (Attribute (Name) @_attribute (AttValue) @name)) (content) @body) @definition.key
  (#any-of? @_attribute "id" "name" "xml:id" "x:Name" "x:Key" "android:id"))
((element (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))) @definition.key
  (#any-of? @_attribute "id" "name" "xml:id" "x:Name" "x:Key" "android:id"))

(Comment) @doc
