; Elements that have a name or an id: by these other places refer to them.
((element (STag (Attribute (Name) @_attribute (AttValue) @name)) (content) @body) @definition.key
  (#any-of? @_attribute "id" "name" "xml:id" "x:Name" "x:Key" "android:id"))
((element (EmptyElemTag (Attribute (Name) @_attribute (AttValue) @name))) @definition.key
  (#any-of? @_attribute "id" "name" "xml:id" "x:Name" "x:Key" "android:id"))

; Elements that are named by what stands in them: keys of property lists, projects of Maven.
((element (STag (Name) @_tag) (content . (CharData) @name .)) @definition.key (#eq? @_tag "key"))
((element (STag (Name) @_tag) (content (element (STag (Name) @_id) (content . (CharData) @name .))) @body) @definition.key
  (#eq? @_tag "project") (#eq? @_id "artifactId"))
; Properties of Maven and MSBuild go by their tags.
((element (STag (Name) @_tag) (content (element (STag . (Name) @name) (content) @body) @definition.key))
  (#any-of? @_tag "properties" "PropertyGroup")
  (#not-eq? @name "property")
  (#not-eq? @name "entry"))
; A template of XSLT, by what it is for.
((element (STag . (Name) @_tag (Attribute (Name) @_attribute (AttValue) @name)) (content) @body) @definition.key
  (#eq? @_tag "xsl:template") (#eq? @_attribute "match"))

((Comment) @doc (#match? @doc "^<!--"))
